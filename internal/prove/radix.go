package prove

import (
	"math/bits"
	"slices"
)

// An equation m*K + R = 0 of whole numbers with |R| < m says that K = 0 and R = 0: digits of numbers in mixed radix.
// It says so of 64 bits, too, if nothing in it gets as large as that.

// split replaces equations by those of their digits (docs/exploration/proofs.md, "Questions").
func (q *asker) split(list []*term) []*term {
	for i := 0; i < len(list); i++ {
		e := list[i]
		if e.op != opEq || e.args[0].w != 64 {
			continue
		}
		d := q.m.sub(e.args[0], e.args[1])
		if d.op != opLin {
			continue
		}
		for _, m := range radices(d) {
			k, r, unit := q.m.digits(d, m)
			if k == nil || !q.m.small(unit, k, r) || !q.below(list, r, unit) {
				continue
			}
			zero := q.m.num(64, 0)
			list = slices.Concat(list[:i:i], list[i+1:], conjuncts(q.m.eq(k, zero)), conjuncts(q.m.eq(r, zero)))
			i = -1
			break
		}
		if len(list) > maxDigits {
			break
		}
	}
	return list
}

// maxDigits bounds how far equations are split.
const maxDigits = 1 << 10

// small reports whether unit*k + r is far from wrapping around.
func (x *terms) small(unit, k, r *term) bool {
	hi, lo := bits.Mul64(x.extent(unit), x.extent(k))
	sum, carry := bits.Add64(lo, x.extent(r), 0)
	return hi == 0 && carry == 0 && sum < 1<<63
}

// extent bounds the absolute value of a sum that has a sign: what is added, and what is taken away, is not more.
func (x *terms) extent(d *term) uint64 {
	if d.op != opLin {
		return x.magnitude(d)
	}
	var sums [2]uint64
	add := func(c, most uint64, either bool) {
		hi, lo := bits.Mul64(magnitude(c), most)
		for i, negative := range []bool{false, true} {
			if !either && negative != (int64(c) < 0) {
				continue
			}
			var carry uint64
			if sums[i], carry = bits.Add64(sums[i], lo, 0); hi != 0 || carry != 0 || sums[i] > 1<<63 {
				sums[i] = 1 << 63
			}
		}
	}
	for i, a := range d.args {
		add(d.coef[i], x.magnitude(a), x.upper(a) >= 1<<63)
	}
	add(d.k, 1, false)
	return max(sums[0], sums[1])
}

func magnitude(v uint64) uint64 {
	if int64(v) < 0 {
		return -v
	}
	return v
}

// magnitude bounds the absolute value of a term of 64 bits that has a sign.
func (x *terms) magnitude(t *term) uint64 {
	switch t.op {
	case opSext:
		return 1 << (t.args[0].w - 1)
	case opFun:
		if t.isDivision() { // it has the sign of what is divided
			return x.extent(t.args[0])
		}
	case opMul:
		hi, lo := bits.Mul64(x.magnitude(t.args[0]), x.magnitude(t.args[1]))
		if hi != 0 || lo >= 1<<63 {
			return 1 << 63
		}
		return lo
	}
	if v := x.upper(t); v < 1<<63 {
		return v
	}
	return 1 << 63
}

// factors lists what a product is made of.
func factors(t *term) []*term {
	if t.op != opMul {
		return []*term{t}
	}
	return append(factors(t.args[0]), factors(t.args[1])...)
}

// radices lists what a sum may be split by: factors that some summands have in common.
func radices(d *term) (list []*term) {
	for _, a := range d.args {
		if a.op != opMul {
			continue
		}
		for _, f := range factors(a) {
			if f.scope == uniform && !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	return list
}

// digits writes d as unit*k + r, where unit is a multiple of m.
func (x *terms) digits(d, m *term) (k, r, unit *term) {
	var high, low lin
	for i, a := range d.args {
		fs := factors(a)
		at := slices.Index(fs, m)
		if at < 0 {
			low.add(a, d.coef[i])
			continue
		}
		rest := x.num(64, 1)
		for j, f := range fs {
			if j != at {
				rest = x.mul(rest, f)
			}
		}
		high.add(rest, d.coef[i])
	}
	if high.args == nil {
		return nil, nil, nil
	}
	common := uint64(0)
	for _, c := range append(high.coef, high.k) {
		common = divisor(common, magnitude(c))
	}
	for i, c := range high.coef {
		high.coef[i] = uint64(int64(c) / int64(common))
	}
	high.k = uint64(int64(high.k) / int64(common))
	low.k = d.k
	return x.lin(64, &high), x.lin(64, &low), x.scaled(m, common)
}

// divisor is the greatest common one.
func divisor(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// below reports whether |r| < m follows.
func (q *asker) below(list []*term, r, m *term) bool {
	x := q.m.terms
	if r.is(0) {
		return q.impossible(list, x.not(x.less(true, x.num(64, 0), m)))
	}
	if multiplies(r, map[*term]bool{}) {
		return false
	}
	return q.impossible(list, x.not(x.less(true, r, m))) && q.impossible(list, x.not(x.less(true, x.sub(x.num(64, 0), r), m)))
}

// impossible reports whether something is excluded by what has no products of unknowns.
func (q *asker) impossible(list []*term, t *term) bool {
	a, _ := q.answered(append(plain(list), t))
	return a == impossible
}

// plain leaves out what has products of unknowns.
func plain(list []*term) (out []*term) {
	seen := map[*term]bool{}
	for _, t := range list {
		if !multiplies(t, seen) {
			out = append(out, t)
		}
	}
	return out
}
