package prove

import (
	"slices"
)

// Truth values, which have one bit.

func (x *terms) not(a *term) *term {
	switch {
	case a.isConst():
		return x.truth(a.k == 0)
	case a.op == opNot:
		return a.args[0]
	}
	return x.mk(term{op: opNot, w: 1, args: []*term{a}})
}

// conjuncts are what all must hold for a truth value to hold.
func conjuncts(a *term) []*term {
	if a.op == opAnd && a.w == 1 {
		return a.args
	}
	return []*term{a}
}

func (x *terms) and(list ...*term) *term {
	var all []*term
	for _, a := range list {
		for _, c := range conjuncts(a) {
			if c == x.no {
				return x.no
			}
			if c != x.yes {
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, func(a, b *term) int { return a.id - b.id })
	all = slices.Compact(all)
	for _, c := range all {
		if _, found := slices.BinarySearchFunc(all, x.not(c), func(a, b *term) int { return a.id - b.id }); found {
			return x.no
		}
	}
	switch len(all) {
	case 0:
		return x.yes
	case 1:
		return all[0]
	}
	return x.mk(term{op: opAnd, w: 1, args: all})
}

// or takes out what both sides have in common, so that a branch that is over leaves no trace.
func (x *terms) or(a, b *term) *term {
	if a == x.yes || b == x.yes {
		return x.yes
	}
	if a == x.no {
		return b
	}
	if b == x.no || a == b {
		return a
	}
	var common, as, bs []*term
	cb := conjuncts(b)
	for _, c := range conjuncts(a) {
		if slices.Contains(cb, c) {
			common = append(common, c)
		} else {
			as = append(as, c)
		}
	}
	for _, c := range cb {
		if !slices.Contains(common, c) {
			bs = append(bs, c)
		}
	}
	if len(as) == 0 || len(bs) == 0 {
		return x.and(common...)
	}
	ra, rb := x.and(as...), x.and(bs...)
	if ra == x.not(rb) {
		return x.and(common...)
	}
	return x.and(append(common, x.not(x.and(x.not(ra), x.not(rb))))...)
}

func (x *terms) implies(a, b *term) *term { return x.or(x.not(a), b) }

func (x *terms) ite(c, a, b *term) *term {
	switch {
	case c == x.yes || a == b:
		return a
	case c == x.no:
		return b
	case c.op == opNot:
		return x.ite(c.args[0], b, a)
	case a.w == 1:
		return x.or(x.and(c, a), x.and(x.not(c), b))
	case a.op == opIte && a.args[0] == c:
		return x.ite(c, a.args[1], b)
	case b.op == opIte && b.args[0] == c:
		return x.ite(c, a, b.args[2])
	case (a.op == opZext || a.op == opSext) && a.op == b.op && a.args[0].w == b.args[0].w:
		return x.ext(x.ite(c, a.args[0], b.args[0]), a.w, a.op == opSext)
	case (a.op == opZext || a.op == opSext) && b.isConst() && x.ext(x.num(a.args[0].w, b.k), a.w, a.op == opSext) == b:
		return x.ext(x.ite(c, a.args[0], x.num(a.args[0].w, b.k)), a.w, a.op == opSext)
	case (b.op == opZext || b.op == opSext) && a.isConst() && x.ext(x.num(b.args[0].w, a.k), b.w, b.op == opSext) == a:
		return x.ext(x.ite(c, x.num(b.args[0].w, a.k), b.args[0]), b.w, b.op == opSext)
	}
	return x.mk(term{op: opIte, w: a.w, args: []*term{c, a, b}})
}
