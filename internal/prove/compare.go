package prove

import (
	"math/bits"
)

// Comparisons.

func (x *terms) eq(a, b *term) *term {
	if a == b {
		return x.yes
	}
	if a.w == 1 {
		return x.not(x.bitwise(opXor, a, b))
	}
	d := x.sub(a, b)
	if d.isConst() {
		return x.truth(d.k == 0)
	}
	if d.op == opLin && !x.solvable(d) {
		return x.no
	}
	if d = x.reduced(d); d == nil {
		return x.no
	}
	return x.balanced(d)
}

// reduced divides a sum by what its factors have in common. Whole numbers that do not wrap around are zero together; nil, if this sum never is.
func (x *terms) reduced(d *term) *term {
	if d.op != opLin || d.w != 64 {
		return d
	}
	common := uint64(0)
	for _, c := range d.coef {
		common = divisor(common, magnitude(c))
	}
	if common == 1 || x.extent(d) >= 1<<63 {
		return d
	}
	if magnitude(d.k)%common != 0 {
		return nil
	}
	l := lin{k: uint64(int64(d.k) / int64(common)), args: d.args}
	for _, c := range d.coef {
		l.coef = append(l.coef, uint64(int64(c)/int64(common)))
	}
	return x.lin(64, &l)
}

// solvable reports whether a sum can be zero, by the powers of two that its summands are multiples of.
func (x *terms) solvable(d *term) bool {
	low := d.w
	for i, c := range d.coef {
		low = min(low, bits.TrailingZeros64(c)+zeros(d.args[i]))
	}
	return d.k&mask(min(max(low, 1), 64)) == 0 || low == 0
}

// zeros is how many low bits of a term are certainly zero.
func zeros(t *term) int {
	switch t.op {
	case opConst:
		return min(bits.TrailingZeros64(t.k|1<<63), t.w)
	case opZext, opSext, opTrunc:
		return min(zeros(t.args[0]), t.w-1)
	case opLin:
		n := min(bits.TrailingZeros64(t.k|1<<63), t.w-1)
		for i, c := range t.coef {
			n = min(n, bits.TrailingZeros64(c)+zeros(t.args[i]))
		}
		return n
	case opMul:
		return min(zeros(t.args[0])+zeros(t.args[1]), t.w-1)
	}
	return 0
}

// balanced is d == 0 with what is negative in d on the other side.
func (x *terms) balanced(d *term) *term {
	if d.op != opLin {
		return x.equal(d, x.num(d.w, 0))
	}
	var l, r lin
	for i, c := range d.coef {
		if signed(c, d.w) < 0 {
			r.add(d.args[i], -c)
		} else {
			l.add(d.args[i], c)
		}
	}
	if signed(d.k, d.w) < 0 {
		r.k = -d.k
	} else {
		l.k = d.k
	}
	a, b := x.lin(d.w, &l), x.lin(d.w, &r)
	if a.id < b.id {
		a, b = b, a
	}
	return x.equal(a, b)
}

// equal is a == b after the first simplifications.
func (x *terms) equal(a, b *term) *term {
	if a.isConst() {
		a, b = b, a
	}
	isExt := func(t *term) bool { return t.op == opZext || t.op == opSext }
	switch {
	case isExt(a) && a.op == b.op && a.args[0].w == b.args[0].w:
		return x.eq(a.args[0], b.args[0])
	case isExt(a) && b.isConst():
		n := a.args[0].w
		low := x.num(n, b.k)
		if x.ext(low, a.w, a.op == opSext) != b {
			return x.no
		}
		return x.eq(a.args[0], low)
	case a.op == opIte && b.isConst() && (a.args[1].isConst() || a.args[2].isConst()):
		return x.ite(a.args[0], x.eq(a.args[1], b), x.eq(a.args[2], b))
	}
	return x.mk(term{op: opEq, w: 1, args: []*term{a, b}})
}

// less is a < b.
func (x *terms) less(isSigned bool, a, b *term) *term {
	if a == b {
		return x.no
	}
	if a.isConst() && b.isConst() {
		if isSigned {
			return x.truth(signed(a.k, a.w) < signed(b.k, b.w))
		}
		return x.truth(a.k < b.k)
	}
	if !isSigned && (b.is(0) || a.is(mask(a.w))) {
		return x.no
	}
	if !isSigned && a.is(0) {
		return x.not(x.eq(b, a))
	}
	if !isSigned && b.is(1) {
		return x.eq(a, x.num(a.w, 0))
	}
	if n := narrowed(a, b); n != 0 {
		na, ok1 := x.narrow(a, n)
		nb, ok2 := x.narrow(b, n)
		ext := a
		if a.isConst() {
			ext = b
		}
		if ok1 && ok2 && (ext.op == opZext || isSigned) {
			return x.less(ext.op == opSext, na, nb)
		}
	}
	o := opUlt
	if isSigned {
		o = opSlt
	}
	return x.mk(term{op: o, w: 1, args: []*term{a, b}})
}

// narrowed returns the width at which two terms can be compared that are extended alike, or 0.
func narrowed(a, b *term) int {
	isExt := func(t *term) bool { return t.op == opZext || t.op == opSext }
	switch {
	case isExt(a) && a.op == b.op && a.args[0].w == b.args[0].w, isExt(a) && b.isConst():
		return a.args[0].w
	case isExt(b) && a.isConst():
		return b.args[0].w
	}
	return 0
}

// narrow returns what a term or a number was extended from; not ok if the number does not fit either way.
func (x *terms) narrow(t *term, n int) (*term, bool) {
	if !t.isConst() {
		return t.args[0], true
	}
	// The number must be the same however it is extended, so that it does not matter how the other side is.
	return x.num(n, t.k), t.k <= mask(n)>>1
}
