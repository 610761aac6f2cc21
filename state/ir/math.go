package ir

import (
	"math"
	"math/bits"
)

var unaryMath = map[Alu]func(float64) float64{
	Sqrt: math.Sqrt, Cbrt: math.Cbrt, Exp: math.Exp, Exp2: math.Exp2, Expm1: math.Expm1,
	Exp10: func(x float64) float64 { return math.Pow(10, x) },
	Log:   math.Log, Log2: math.Log2, Log10: math.Log10, Log1p: math.Log1p, Logb: math.Logb,
	Sin: math.Sin, Cos: math.Cos, Tan: math.Tan, Asin: math.Asin, Acos: math.Acos, Atan: math.Atan,
	Sinh: math.Sinh, Cosh: math.Cosh, Tanh: math.Tanh, Asinh: math.Asinh, Acosh: math.Acosh, Atanh: math.Atanh,
	Erf: math.Erf, Erfc: math.Erfc, Tgamma: math.Gamma,
	Lgamma: func(x float64) float64 { v, _ := math.Lgamma(x); return v },
	Ceil:   math.Ceil, Floor: math.Floor, Trunc: math.Trunc, Rint: math.RoundToEven, Round: math.Round,
	Mantissa: func(x float64) float64 { m, _ := math.Frexp(x); return m },
	Exponent: func(x float64) float64 { _, e := math.Frexp(x); return float64(e) },
}

// math1 computes a function of one number.
func (t Type) math1(op Alu, a int64) (int64, bool) {
	f, ok := unaryMath[op]
	if !ok {
		return 0, false
	}
	return t.bits(f(t.float(a))), true
}

// math2 computes a function of two numbers.
func (t Type) math2(op Alu, a, b int64) (int64, bool) {
	if !t.Float() {
		return 0, false
	}
	x, y := t.float(a), t.float(b)
	switch op {
	case Fmod:
		return t.bits(math.Mod(x, y)), true
	case IRemainder:
		return t.bits(math.Remainder(x, y)), true
	case Pow:
		return t.bits(math.Pow(x, y)), true
	case Atan2:
		return t.bits(math.Atan2(x, y)), true
	case Copysign:
		return t.bits(math.Copysign(x, y)), true
	case Nextafter:
		return t.nextafter(a, b), true
	case Ldexp:
		return t.bits(math.Ldexp(x, int(b))), true
	case Rootn:
		return t.bits(rootn(x, b)), true
	}
	return t.bits(math.Hypot(x, y)), true
}

// nextafter returns the number of type t that comes after a in the direction of b.
func (t Type) nextafter(a, b int64) int64 {
	x, y := t.float(a), t.float(b)
	sign := int64(1) << (t.Bits() - 1)
	switch {
	case x != x || y != y:
		return t.bits(math.NaN())
	case x == y:
		return b
	case x == 0 && y > 0:
		return 1
	case x == 0:
		return Wrap(unsignedOf(t), sign|1)
	case (x < y) == (x > 0):
		return a + 1
	}
	return a - 1
}

// unsignedOf returns the unsigned integer type as wide as t.
func unsignedOf(t Type) Type {
	switch t.Bits() {
	case 8:
		return U8
	case 16:
		return U16
	case 32:
		return U32
	}
	return U64
}

// rootn returns x to the power 1/n: of a negative number, if n is odd.
func rootn(x float64, n int64) float64 {
	if n%2 != 0 {
		return math.Copysign(math.Pow(math.Abs(x), 1/float64(n)), x)
	}
	return math.Pow(x, 1/float64(n))
}

// mulHi returns the upper half of the product of two integers.
func mulHi(t Type, a, b int64) int64 {
	switch {
	case t.Bits() < 64:
		return a * b >> t.Bits()
	case t.Signed():
		hi, _ := bits.Mul64(uint64(a), uint64(b))
		return int64(hi) - a>>63&b - b>>63&a
	}
	hi, _ := bits.Mul64(uint64(a), uint64(b))
	return int64(hi)
}

// countBits computes the functions that count the bits of an integer.
func countBits(op Alu, t Type, a int64) (int64, bool) {
	width := t.Bits()
	u := uint64(a) << (64 - width) >> (64 - width)
	switch op {
	case Clz:
		return int64(bits.LeadingZeros64(u) - (64 - width)), true
	case Ctz:
		return int64(min(bits.TrailingZeros64(u), width)), true
	case Popcount:
		return int64(bits.OnesCount64(u)), true
	}
	return 0, false
}

// Half precision: a sign, five bits of exponent, ten of fraction.
const (
	halfFraction = 10
	halfBias     = 15
	halfInfinity = 0x7c00
	halfNaN      = 0x7e00
)

func halfToFloat(h uint16) float64 {
	exp, frac := int(h>>halfFraction&0x1f), float64(h&(1<<halfFraction-1))
	var v float64
	switch {
	case exp == 0x1f && frac != 0:
		return math.NaN()
	case exp == 0x1f:
		v = math.Inf(1)
	case exp == 0:
		v = math.Ldexp(frac, 1-halfBias-halfFraction)
	default:
		v = math.Ldexp(frac+1<<halfFraction, exp-halfBias-halfFraction)
	}
	if h>>15 != 0 {
		return -v
	}
	return v
}

// floatToHalf rounds to the nearest, ties to even.
func floatToHalf(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign, v = 1<<15, -v
	}
	switch {
	case v != v:
		return halfNaN
	case v == 0:
		return sign
	case math.IsInf(v, 1):
		return sign | halfInfinity
	}
	// The last bit of the fraction stands for 2^e; numbers below 2^-14 share the least one.
	_, e := math.Frexp(v)
	e = max(e-1, 1-halfBias) - halfFraction
	n := math.RoundToEven(math.Ldexp(v, -e))
	if v = math.Ldexp(n, e); v >= 65536 {
		return sign | halfInfinity
	}
	if n < 1<<halfFraction {
		return sign | uint16(n)
	}
	_, e = math.Frexp(v)
	n = math.Ldexp(v, halfFraction+1-e)
	return sign | uint16(e-1+halfBias)<<halfFraction | uint16(n)&(1<<halfFraction-1)
}
