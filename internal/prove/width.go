package prove

import (
	"math/bits"
)

// Terms of other widths.

func (x *terms) ext(a *term, w int, isSigned bool) *term {
	switch {
	case a.w == w:
		return a
	case a.w > w:
		return x.trunc(a, w)
	case a.isConst() && isSigned:
		return x.num(w, uint64(signed(a.k, a.w)))
	case a.isConst():
		return x.num(w, a.k)
	case a.op == opTrunc && a.args[0].w == w && x.upper(a.args[0]) <= mask(a.w)>>1:
		return a.args[0]
	case a.op == opTrunc && a.args[0].w == w && !isSigned && x.upper(a.args[0]) <= mask(a.w):
		return a.args[0]
	case a.op == opZext: // whatever the sign is now, it is not set
		return x.mk(term{op: opZext, w: w, args: a.args})
	case a.op == opLin && x.fits(a, isSigned): // so do the summands
		l := lin{k: a.k}
		for i, t := range a.args {
			l.add(x.ext(t, w, false), a.coef[i])
		}
		return x.lin(w, &l)
	case a.op == opMul && x.fits(a, isSigned):
		return x.mul(x.ext(a.args[0], w, false), x.ext(a.args[1], w, false))
	case isSigned && x.upper(a) <= mask(a.w)>>1:
		return x.ext(a, w, false)
	case a.op == opSext && isSigned:
		return x.mk(term{op: opSext, w: w, args: a.args})
	case isSigned:
		return x.mk(term{op: opSext, w: w, args: []*term{a}})
	}
	return x.mk(term{op: opZext, w: w, args: []*term{a}})
}

// fits reports whether a sum or a product of what is not negative does not wrap around, nor, if it has a sign, set that.
func (x *terms) fits(a *term, isSigned bool) bool {
	if isSigned {
		return x.upper(a) <= mask(a.w)>>1
	}
	if a.op == opLin {
		_, ok := x.upperSum(a)
		return ok
	}
	hi, lo := bits.Mul64(x.upper(a.args[0]), x.upper(a.args[1]))
	return hi == 0 && lo <= mask(a.w)
}

func (x *terms) trunc(a *term, w int) *term {
	switch a.op {
	case opConst:
		return x.num(w, a.k)
	case opZext, opSext:
		return x.ext(a.args[0], w, a.op == opSext)
	case opTrunc:
		return x.trunc(a.args[0], w)
	case opLin: // the low bits of these come from low bits
		l := lin{k: a.k}
		for i, t := range a.args {
			l.add(x.trunc(t, w), a.coef[i])
		}
		return x.lin(w, &l)
	case opMul:
		return x.mul(x.trunc(a.args[0], w), x.trunc(a.args[1], w))
	case opAnd, opOr, opXor:
		return x.bin(a.op, x.trunc(a.args[0], w), x.trunc(a.args[1], w))
	case opIte:
		return x.ite(a.args[0], x.trunc(a.args[1], w), x.trunc(a.args[2], w))
	}
	return x.mk(term{op: opTrunc, w: w, args: []*term{a}})
}
