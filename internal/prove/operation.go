package prove

import (
	"math/bits"
)

// Operations other than sums.

func (x *terms) bin(o op, a, b *term) *term {
	w := a.w
	if a.isConst() && b.isConst() {
		if v, ok := fold(o, w, a.k, b.k); ok {
			return x.num(w, v)
		}
	}
	zero := b.is(0)
	switch o {
	case opDiv, opRem:
		if b.isConst() && b.k != 0 && b.k&(b.k-1) == 0 {
			if o == opRem {
				return x.bin(opAnd, a, x.num(w, b.k-1))
			}
			return x.bin(opShr, a, x.num(w, uint64(bits.TrailingZeros64(b.k))))
		}
	case opShl:
		if b.isConst() {
			if b.k >= uint64(w) {
				return x.num(w, 0)
			}
			return x.scaled(a, 1<<b.k)
		}
		if a.is(0) {
			return a
		}
	case opShr, opSar:
		if zero || a.is(0) {
			return a
		}
		if b.isConst() && b.k >= uint64(w) && o == opShr {
			return x.num(w, 0)
		}
		if a.op == opZext && b.isConst() {
			n := a.args[0]
			return x.ext(x.bin(opShr, n, x.num(n.w, min(b.k, mask(n.w)))), w, false)
		}
	case opAnd, opOr, opXor:
		return x.bitwise(o, a, b)
	}
	return x.mk(term{op: o, w: w, args: []*term{a, b}})
}

func (x *terms) bitwise(o op, a, b *term) *term {
	w := a.w
	if w == 1 {
		switch o {
		case opAnd:
			return x.and(a, b)
		case opOr:
			return x.or(a, b)
		}
		return x.or(x.and(a, x.not(b)), x.and(x.not(a), b))
	}
	if a.isConst() || !b.isConst() && a.id > b.id {
		a, b = b, a
	}
	switch {
	case a == b && o == opXor:
		return x.num(w, 0)
	case a == b:
		return a
	case b.is(0) && o == opAnd, b.is(mask(w)) && o == opOr:
		return b
	case b.is(0), b.is(mask(w)) && o == opAnd:
		return a
	}
	return x.mk(term{op: o, w: w, args: []*term{a, b}})
}

func fold(o op, w int, a, b uint64) (uint64, bool) {
	switch o {
	case opDiv, opRem:
		if b == 0 {
			return 0, false
		}
		if o == opDiv {
			return a / b, true
		}
		return a % b, true
	case opShl:
		if b >= uint64(w) {
			return 0, true
		}
		return a << b, true
	case opShr:
		if b >= uint64(w) {
			return 0, true
		}
		return a >> b, true
	case opSar:
		return uint64(signed(a, w) >> min(b, uint64(w-1))), true
	case opAnd:
		return a & b, true
	case opOr:
		return a | b, true
	case opXor:
		return a ^ b, true
	}
	return 0, false
}
