package prove

import "math/bits"

// upper is a number that an unsigned term never exceeds.
func (x *terms) upper(t *term) uint64 {
	if v, ok := x.uppers[t]; ok {
		return v
	}
	v := min(x.findUpper(t), mask(t.w))
	x.uppers[t] = v
	return v
}

func (x *terms) findUpper(t *term) uint64 {
	all := mask(t.w)
	arg := func(i int) uint64 { return x.upper(t.args[i]) }
	switch t.op {
	case opConst:
		return t.k
	case opZext:
		return arg(0)
	case opTrunc:
		if v := arg(0); v <= all {
			return v
		}
	case opLin:
		if v, ok := x.upperSum(t); ok {
			return v
		}
	case opMul:
		if hi, lo := bits.Mul64(arg(0), arg(1)); hi == 0 && lo <= all {
			return lo
		}
	case opAnd:
		if t.w > 1 {
			return min(arg(0), arg(1))
		}
	case opOr, opXor:
		return 1<<bits.Len64(arg(0)|arg(1)) - 1
	case opShr:
		if c := t.args[1]; c.isConst() {
			return arg(0) >> min(c.k, 63)
		}
		return arg(0)
	case opDiv:
		if c := t.args[1]; c.isConst() && c.k != 0 {
			return arg(0) / c.k
		}
	case opRem:
		if c := t.args[1]; c.isConst() && c.k != 0 {
			return min(arg(0), c.k-1)
		}
	case opIte:
		return max(arg(1), arg(2))
	case opFun:
		if t.isDivision() && arg(0) < 1<<63 {
			return arg(0)
		}
	case opSext:
		if v := arg(0); v <= mask(t.args[0].w)>>1 {
			return v
		}
	}
	return all
}

// upperSum bounds a sum that has no negative summands and does not wrap around.
func (x *terms) upperSum(t *term) (uint64, bool) {
	sum, carry := t.k, uint64(0)
	done := map[*term]bool{}
	for i, a := range t.args {
		c := t.coef[i]
		if signed(c, t.w) < 0 {
			return 0, false
		}
		if done[a] {
			continue
		}
		v := x.upper(a)
		if b := x.partner[a]; b.with != nil { // their sum is bounded
			for j, o := range t.args {
				if o == b.with && t.coef[j] == c {
					v, done[o] = b.sum, true
				}
			}
		}
		hi, lo := bits.Mul64(c, v)
		if sum, carry = bits.Add64(sum, lo, 0); hi != 0 || carry != 0 {
			return 0, false
		}
	}
	return sum, sum <= mask(t.w)
}

// partner is another term, and what the sum of both does not exceed.
type partner struct {
	with *term
	sum  uint64
}
