package prove

import (
	"fmt"

	"github.com/clmc/clmc/state/ir"
)

// The largest sizes that are proved for: of a work-group, and of the index space, in each dimension.
const (
	MaxLocal  = 1<<16 - 1
	MaxGlobal = 1<<31 - 1
)

// sizes are the terms for ids and sizes. Of any sizes, nothing is multiplied: a group begins at a base, and groups do not overlap.
type sizes struct {
	k     *Kernel
	local [3]uint64 // 0: any
	count [3]uint64 // of groups; 0: any
	dim   int
}

func name(s string, d int) string { return fmt.Sprint(s, d) }

// wide makes a symbol of so many bits one of 64.
func wide(x *terms, s *term) *term { return x.ext(s, 64, false) }

// width is how many bits numbers below n need.
func width(n uint64) int {
	w := 1
	for ; n > 1<<w; w++ {
	}
	return w
}

func (z *sizes) lid(x *terms, d int) *term {
	switch n := z.local[d]; n {
	case 1:
		return x.num(64, 0)
	case 0:
		return wide(x, x.sym(name("local id ", d), 16, item))
	default:
		return wide(x, x.sym(name("local id ", d), width(n), item))
	}
}

func (z *sizes) localSize(x *terms, d int) *term {
	if n := z.local[d]; n != 0 {
		return x.num(64, n)
	}
	return wide(x, x.sym(name("local size ", d), 16, uniform))
}

func (z *sizes) groupID(x *terms, d int) *term {
	switch n := z.count[d]; n {
	case 1:
		return x.num(64, 0)
	case 0:
		return wide(x, x.sym(name("group id ", d), z.countBits(d), group))
	default:
		return wide(x, x.sym(name("group id ", d), width(n), group))
	}
}

func (z *sizes) groups(x *terms, d int) *term {
	if n := z.count[d]; n != 0 {
		return x.num(64, n)
	}
	return wide(x, x.sym(name("groups ", d), z.countBits(d), uniform))
}

// countBits is how many bits the number of groups has.
func (z *sizes) countBits(d int) int { return width(MaxGlobal/max(z.local[d], 1) + 1) }

// base is the global id of a group's first work-item.
func (z *sizes) base(x *terms, d int) *term {
	switch {
	case z.count[d] == 1:
		return x.num(64, 0)
	case z.local[d] != 0:
		return x.scaled(z.groupID(x, d), z.local[d])
	}
	return wide(x, x.sym(name("base ", d), 31, group))
}

func (z *sizes) globalSize(x *terms, d int) *term {
	switch {
	case z.count[d] == 1:
		return z.localSize(x, d)
	case z.local[d] != 0:
		return x.scaled(z.groups(x, d), z.local[d])
	}
	return wide(x, x.sym(name("global size ", d), 31, uniform))
}

func (z *sizes) globalID(x *terms, d int) *term {
	base, lid := z.base(x, d), z.lid(x, d)
	for _, p := range [...][2]*term{{base, lid}, {lid, base}} {
		if _, known := x.partner[p[0]]; !known && !base.isConst() && !lid.isConst() {
			for _, w := range [...]int{32, 64} {
				x.partner[x.ext(p[0], w, false)] = partner{x.ext(p[1], w, false), MaxGlobal - 1}
			}
		}
	}
	return x.add(base, lid)
}

// scalar is the i-th parameter of the kernel's function.
func (z *sizes) scalar(x *terms, i int) *term {
	p := &z.k.Scalars[i]
	if p.Given != nil {
		return x.num(64, uint64(*p.Given))
	}
	return x.ext(x.sym(fmt.Sprint("scalar ", i), p.Type.Bits(), uniform), 64, p.Type.Signed())
}

// query is what a work-item function returns.
func (z *sizes) query(x *terms, in *ir.Instr, dim *term, m *machine) *term {
	d := 0
	if dim.isConst() && dim.k < 3 {
		d = int(dim.k)
	} else {
		m.give(in.Pos, "a dimension that is not a number")
	}
	switch in.Query {
	case ir.QueryWorkDim:
		return x.num(64, uint64(z.dim))
	case ir.QueryGlobalID:
		return z.globalID(x, d)
	case ir.QueryLocalID:
		return z.lid(x, d)
	case ir.QueryGroupID:
		return z.groupID(x, d)
	case ir.QueryGlobalSize:
		return z.globalSize(x, d)
	case ir.QueryLocalSize, ir.QueryEnqueuedLocalSize:
		return z.localSize(x, d)
	case ir.QueryNumGroups:
		return z.groups(x, d)
	case ir.QueryGlobalOffset:
		return x.num(64, 0)
	case ir.QueryGlobalLinearID:
		return z.linear(x, z.globalID, z.globalSize)
	case ir.QueryLocalLinearID:
		return z.linear(x, z.lid, z.localSize)
	case ir.QuerySubGroupID, ir.QuerySubGroupLocalID:
		return z.inSubGroup(x, in.Query)
	}
	return wide(x, x.sym(fmt.Sprint("sub-group size ", in.Query), 16, group))
}

// subGroupID is how the symbols of a work-item's place among sub-groups are named.
const subGroupID = "sub-group id "

// inSubGroup is the number of a work-item's sub-group, or its own in it.
func (z *sizes) inSubGroup(x *terms, q ir.Query) *term {
	return wide(x, x.sym(fmt.Sprint(subGroupID, q), 16, item))
}

// otherPlace is that two work-items of a group are not at the same place of the same sub-group.
func (z *sizes) otherPlace(x *terms, one, two func(*term) *term) *term {
	same := x.yes
	for _, q := range [...]ir.Query{ir.QuerySubGroupID, ir.QuerySubGroupLocalID} {
		same = x.and(same, x.eq(one(z.inSubGroup(x, q)), two(z.inSubGroup(x, q))))
	}
	return x.not(same)
}

func (z *sizes) linear(x *terms, id, size func(*terms, int) *term) *term {
	sum := x.add(x.mul(id(x, 2), size(x, 1)), id(x, 1))
	return x.add(x.mul(sum, size(x, 0)), id(x, 0))
}

// product knows that a group's number, and the number of groups, times the local size are its base and the global size.
func (z *sizes) product(x *terms, a, b *term) *term {
	for d := range 3 {
		if z.local[d] != 0 || z.count[d] == 1 {
			continue
		}
		local, g, n := z.localSize(x, d).args[0], z.groupID(x, d), z.groups(x, d)
		for _, p := range [...][2]*term{{a, b}, {b, a}} {
			if whole(p[0]) != local {
				continue
			}
			if s := whole(p[1]); g.op == opZext && s == g.args[0] && z.count[d] == 0 {
				return x.ext(z.base(x, d), a.w, false)
			} else if n.op == opZext && s == n.args[0] && z.count[d] == 0 {
				return x.ext(z.globalSize(x, d), a.w, false)
			}
		}
	}
	return x.mul(a, b)
}

// whole returns the symbol whose value a term has.
func whole(t *term) *term {
	if t.op == opZext && t.w >= 32 {
		return t.args[0]
	}
	return t
}

// domain is what is known of ids and sizes of one work-item.
func (z *sizes) domain(x *terms) (list []*term) {
	add := func(t *term) {
		if t != x.yes {
			list = append(list, t)
		}
	}
	for d := range 3 {
		lid, local, g, n := z.lid(x, d), z.localSize(x, d), z.groupID(x, d), z.groups(x, d)
		add(x.less(false, lid, local))
		add(x.less(false, g, n))
		if z.local[d] == 0 {
			add(x.less(false, x.num(64, 0), local))
		}
		if z.count[d] == 0 {
			add(x.less(false, x.num(64, 0), n))
		}
		if z.local[d] == 0 && z.count[d] != 1 {
			base, size := z.base(x, d), z.globalSize(x, d)
			zero := x.num(64, 0)
			add(x.not(x.less(false, size, x.add(base, local))))
			add(x.eq(x.bitwise(opXor, x.eq(g, zero), x.eq(base, zero)), x.no))
			add(x.not(x.less(false, size, n))) // a group has a work-item at least
			add(x.not(x.less(false, base, g))) // and so have those before it
			add(x.not(x.less(false, size, local)))
		} else if z.local[d] != 0 && z.count[d] == 0 {
			add(x.less(false, z.globalSize(x, d), x.num(64, MaxGlobal+1)))
		}
	}
	return list
}

// atMost is that work-groups have at most n work-items in a dimension, that there are few of them, and that no scalar exceeds a
// number, if that is not 0.
func (z *sizes) atMost(x *terms, n, scalars uint64) *term {
	all := x.yes
	limit := func(t *term, n uint64) {
		if !t.isConst() {
			all = x.and(all, x.not(x.less(false, x.num(64, n), t)))
		}
	}
	for d := range 3 {
		limit(z.localSize(x, d), n)
		limit(z.groups(x, d), min(n, 4))
		limit(z.globalSize(x, d), n*min(n, 4))
		if z.local[d] == 0 && z.count[d] != 1 { // few enough to be multiplied
			all = x.and(all, x.eq(z.globalSize(x, d), x.mul(z.groups(x, d), z.localSize(x, d))))
			all = x.and(all, x.eq(z.base(x, d), x.mul(z.groupID(x, d), z.localSize(x, d))))
		}
	}
	for i := range z.k.Scalars {
		if scalars > 0 && !z.k.Scalars[i].Type.Float() {
			limit(z.scalar(x, i), scalars)
		}
	}
	return all
}

// disjoint is what is known of two groups in a dimension of any sizes: the one with the smaller number ends before the other begins.
func (z *sizes) disjoint(x *terms, d int, one, two func(*term) *term) *term {
	if z.local[d] != 0 || z.count[d] == 1 {
		return x.yes
	}
	g1, g2 := one(z.groupID(x, d)), two(z.groupID(x, d))
	b1, b2, l := one(z.base(x, d)), two(z.base(x, d)), z.localSize(x, d)
	return x.and(
		x.implies(x.less(false, g1, g2), x.not(x.less(false, b2, x.add(b1, l)))),
		x.implies(x.less(false, g2, g1), x.not(x.less(false, b1, x.add(b2, l)))),
		x.implies(x.eq(g1, g2), x.eq(b1, b2)),
		// This follows, but is what is asked most, and takes a solver long to find out.
		x.implies(x.eq(one(z.globalID(x, d)), two(z.globalID(x, d))), x.eq(g1, g2)))
}
