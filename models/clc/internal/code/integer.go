package code

import (
	"math"
	"math/bits"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

func addIntegers() {
	more := map[string]func(*lane) int32{
		"abs": func(l *lane) int32 {
			if !l.t.Signed() {
				return l.a[0]
			}
			return l.Conv(l.to, l.t, l.choose(l.bin(ir.Lt, l.a[0], l.Constant(0)), l.un(ir.Neg, l.a[0]), l.a[0]))
		},
		"abs_diff": func(l *lane) int32 {
			x, y := l.a[0], l.a[1]
			return l.Conv(l.to, l.t, l.choose(l.bin(ir.Lt, x, y), l.bin(ir.Sub, y, x), l.bin(ir.Sub, x, y)))
		},
		"add_sat": func(l *lane) int32 { return l.addSat(l.a[0], l.a[1]) },
		"sub_sat": func(l *lane) int32 { return l.subSat() },
		"hadd":    func(l *lane) int32 { return l.halfSum(false) },
		"rhadd":   func(l *lane) int32 { return l.halfSum(true) },
		"mad_hi":  func(l *lane) int32 { return l.wrapping(ir.Add, l.bin(ir.MulHi, l.a[0], l.a[1]), l.a[2]) },
		"mad_sat": func(l *lane) int32 { return l.madSat() },
		"mad24":   func(l *lane) int32 { return l.wrapping(ir.Add, l.wrapping(ir.Mul, l.a[0], l.a[1]), l.a[2]) },
		"mul24":   func(l *lane) int32 { return l.wrapping(ir.Mul, l.a[0], l.a[1]) },
		"rotate":  func(l *lane) int32 { return l.rotate() },
		"upsample": func(l *lane) int32 {
			w := int64(l.t.Bits())
			low := scalar(l.call.Args[1].Type())
			return l.Bin(ir.Or, l.to, l.Bin(ir.Shl, l.to, l.Conv(l.to, l.t, l.a[0]), l.Constant(w)), l.Conv(l.to, low, l.a[1]))
		},
		"bit_reverse": func(l *lane) int32 { return l.reverse() },
	}
	for name, fn := range more {
		laneFuncs[name] = fn
	}
}

// wrapping computes what has no more bits than its type: in unsigned numbers, as C leaves undefined where an int overflows.
func (l *lane) wrapping(op ir.Alu, a, b int32) int32 {
	if !l.t.Signed() {
		return l.bin(op, a, b)
	}
	u := unsigned(l.t.Bits())
	return l.Conv(l.t, u, l.Bin(op, u, a, b))
}

// extremes returns the least and the greatest value of an integer type.
func extremes(t ir.Type) (lo, hi int64) {
	if t.Signed() {
		return math.MinInt64 >> (64 - t.Bits()), math.MaxInt64 >> (64 - t.Bits())
	}
	return 0, ir.Wrap(t, -1)
}

// addSat adds, and stays within the type.
func (l *lane) addSat(x, y int32) int32 {
	lo, hi := extremes(l.t)
	if l.t.Bits() < 64 {
		return l.clampTo(l.Bin(ir.Add, ir.I64, x, y), lo, hi)
	}
	s := l.bin(ir.Add, x, y)
	if !l.t.Signed() {
		return l.choose(l.bin(ir.Lt, s, x), l.Constant(hi), s)
	}
	return l.saturated(s, x, l.Bin(ir.And, ir.I64, l.Bin(ir.Xor, ir.I64, x, s), l.Bin(ir.Xor, ir.I64, y, s)))
}

func (l *lane) subSat() int32 {
	x, y := l.a[0], l.a[1]
	lo, hi := extremes(l.t)
	if l.t.Bits() < 64 {
		return l.clampTo(l.Bin(ir.Sub, ir.I64, x, y), lo, hi)
	}
	s := l.bin(ir.Sub, x, y)
	if !l.t.Signed() {
		return l.choose(l.bin(ir.Gt, y, x), l.Constant(0), s)
	}
	return l.saturated(s, x, l.Bin(ir.And, ir.I64, l.Bin(ir.Xor, ir.I64, x, y), l.Bin(ir.Xor, ir.I64, x, s)))
}

// saturated is s, unless over is negative: then what has overflown has the sign of x.
func (l *lane) saturated(s, x, over int32) int32 {
	limit := l.choose(l.Bin(ir.Lt, ir.I64, x, l.Constant(0)), l.Constant(math.MinInt64), l.Constant(math.MaxInt64))
	return l.choose(l.Bin(ir.Lt, ir.I64, over, l.Constant(0)), limit, s)
}

func (l *lane) clampTo(r int32, lo, hi int64) int32 {
	return l.Bin(ir.Min, ir.I64, l.Bin(ir.Max, ir.I64, r, l.Constant(lo)), l.Constant(hi))
}

// halfSum is (x + y) >> 1, or (x + y + 1) >> 1, without overflow.
func (l *lane) halfSum(up bool) int32 {
	x, y, one := l.a[0], l.a[1], l.Constant(1)
	half := l.bin(ir.Add, l.bin(ir.Shr, x, one), l.bin(ir.Shr, y, one))
	op := ir.And
	if up {
		op = ir.Or
	}
	return l.bin(ir.Add, half, l.bin(ir.And, l.bin(op, x, y), one))
}

// madSat is x * y + z within the type.
func (l *lane) madSat() int32 {
	x, y, z := l.a[0], l.a[1], l.a[2]
	lo, hi := extremes(l.t)
	if l.t.Bits() < 64 { // the product has at most 62 bits, or is one of unsigned 32-bit numbers
		if l.t == ir.U32 {
			p := l.Bin(ir.Mul, ir.U64, x, y)
			return l.Bin(ir.Min, ir.U64, l.Bin(ir.Add, ir.U64, p, z), l.Constant(hi)) // less than 2^64
		}
		return l.clampTo(l.Bin(ir.Add, ir.I64, l.Bin(ir.Mul, ir.I64, x, y), z), lo, hi)
	}
	high, p := l.bin(ir.MulHi, x, y), l.bin(ir.Mul, x, y)
	if !l.t.Signed() {
		p = l.choose(l.bin(ir.Ne, high, l.Constant(0)), l.Constant(hi), p)
		s := l.bin(ir.Add, p, z)
		return l.choose(l.bin(ir.Lt, s, z), l.Constant(hi), s)
	}
	// The sum of the product, of 128 bits, and z, whose sign goes on above.
	s := l.Bin(ir.Add, ir.U64, p, z)
	carry := l.Bin(ir.Lt, ir.U64, s, p)
	high = l.Bin(ir.Add, ir.I64, l.Bin(ir.Add, ir.I64, high, l.Bin(ir.Shr, ir.I64, z, l.Constant(63))), carry)
	fits := l.Bin(ir.Eq, ir.I64, high, l.Bin(ir.Shr, ir.I64, s, l.Constant(63)))
	limit := l.choose(l.Bin(ir.Lt, ir.I64, high, l.Constant(0)), l.Constant(math.MinInt64), l.Constant(math.MaxInt64))
	return l.choose(fits, s, limit)
}

func (l *lane) rotate() int32 {
	w := int64(l.t.Bits())
	u := unsigned(l.t.Bits())
	x := l.Conv(u, l.t, l.a[0])
	n := l.Bin(ir.And, ir.U64, l.a[1], l.Constant(w-1))
	back := l.Bin(ir.And, ir.U64, l.Bin(ir.Sub, ir.I64, l.Constant(w), n), l.Constant(w-1))
	return l.Conv(l.t, u, l.Bin(ir.Or, u, l.Bin(ir.Shl, u, x, n), l.Bin(ir.Shr, u, x, back)))
}

func (l *lane) reverse() int32 {
	w := l.t.Bits()
	u := unsigned(w)
	x := l.Conv(u, l.t, l.a[0])
	for s := w / 2; s >= 1; s /= 2 {
		m := int64(bits.Reverse64(0)) // the low s bits of every 2s
		for at := 0; at < w; at += 2 * s {
			m |= (1<<s - 1) << at
		}
		n := l.Constant(int64(s))
		k := l.Constant(m)
		x = l.Bin(ir.Or, u, l.Bin(ir.And, u, l.Bin(ir.Shr, u, x, n), k), l.Bin(ir.Shl, u, l.Bin(ir.And, u, x, k), n))
	}
	return l.Conv(l.t, u, x)
}

// convertFunction lowers convert_T[_sat][_rt?].
func (f *frame) convertFunction(x *tree.BuiltinCall, v value) value {
	to, from := x.Type().Lane(), x.Args[0].Type().Lane()
	a, b := scalar(to), scalar(from)
	var out value
	for _, r := range v {
		out = append(out, f.convertRounded(a, b, r, x.Fn))
	}
	return out
}

func (f *frame) convertRounded(to, from ir.Type, r int32, fn *tree.Builtin) int32 {
	switch {
	case from.Float() && !to.Float():
		// OpConv cuts off, and saturates.
		switch fn.Round {
		case tree.RoundEven:
			r = f.Un(ir.Rint, from, r)
		case tree.RoundUp:
			r = f.Un(ir.Ceil, from, r)
		case tree.RoundDown:
			r = f.Un(ir.Floor, from, r)
		}
		return f.Conv(to, from, r)
	case !from.Float() && !to.Float() && fn.Sat:
		return f.saturate(to, from, r)
	case to.Float() && to != from && fn.Round > tree.RoundEven:
		return f.roundTowards(to, from, r, fn.Round)
	}
	return f.Conv(to, from, r)
}

// saturate converts an integer, and stays within the type.
func (f *frame) saturate(to, from ir.Type, r int32) int32 {
	lo, hi := extremes(to)
	fromLo, fromHi := extremes(from)
	cmp := ir.I64
	if from == ir.U64 {
		cmp = ir.U64
	} else if fromLo < lo || to == ir.U64 {
		r = f.Bin(ir.Max, ir.I64, r, f.Constant(max(lo, fromLo)))
	}
	if uint64(hi) < uint64(fromHi) {
		r = f.Bin(ir.Min, cmp, r, f.Constant(hi))
	}
	return r
}

// roundTowards converts to a floating-point type in a direction: to the nearest number, and from
// there, if it lies on the wrong side, to the next.
func (f *frame) roundTowards(to, from ir.Type, r int32, way tree.Round) int32 {
	near := f.Conv(to, from, r)
	wide := func(t ir.Type, r int32) int32 { return f.Conv(ir.F64, t, r) }
	up, down := f.Constant(to.FromNumber(math.Inf(1))), f.Constant(to.FromNumber(math.Inf(-1)))
	above := f.Bin(ir.Gt, ir.F64, wide(to, near), wide(from, r))
	below := f.Bin(ir.Lt, ir.F64, wide(to, near), wide(from, r))
	if !from.Float() && from.Bits() == 64 {
		above, below = f.besides(to, from, near, r)
	}
	lower := func() int32 { return f.choose(above, f.Bin(ir.Nextafter, to, near, down), near) }
	upper := func() int32 { return f.choose(below, f.Bin(ir.Nextafter, to, near, up), near) }
	switch way {
	case tree.RoundUp:
		return upper()
	case tree.RoundDown:
		return lower()
	}
	negative := f.Bin(ir.Lt, ir.F64, wide(from, r), f.Constant(0))
	out := f.NewReg("")
	f.If(negative, func() { f.Move(out, upper()) }, func() { f.Move(out, lower()) })
	return out
}

// besides compares the nearest number with an integer of 64 bits, which a double may not hold: as an integer, unless it is
// beyond what there is of these.
func (f *frame) besides(to, from ir.Type, near, r int32) (above, below int32) {
	_, hi := extremes(from)
	back, beyond := f.Conv(from, to, near), float64(uint64(hi))+1
	is := func(op ir.Alu, v float64) int32 {
		return f.Bin(op, ir.F64, f.Conv(ir.F64, to, near), f.Constant(ir.F64.FromNumber(v)))
	}
	above = f.Bin(ir.Or, ir.Bool, f.Bin(ir.Gt, from, back, r), is(ir.Ge, beyond))
	return above, f.Bin(ir.Or, ir.Bool, f.Bin(ir.Lt, from, back, r), is(ir.Lt, -math.Ldexp(1, 63)))
}
