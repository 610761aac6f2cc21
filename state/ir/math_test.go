package ir

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestHalf goes through all numbers of half precision: each is what rounding gives back, and what lies
// between two of them is rounded to the nearer, or to the even one.
func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		v := F16.Number(int64(h))
		if v != v {
			if h&0x7c00 != 0x7c00 || h&0x3ff == 0 {
				t.Fatalf("%#x is not a number", h)
			}
			continue
		}
		if got := F16.FromNumber(v); got != int64(h) {
			t.Fatalf("%#x is %g, which is %#x", h, v, got)
		}
		if next := F16.Number(int64(h) + 1); h&0x7fff < 0x7bff {
			middle := (v + next) / 2
			want := int64(h) + int64(h&1)
			if got := F16.FromNumber(middle); got != want {
				t.Fatalf("%g, between %#x and the next, is %#x, want %#x", middle, h, got, want)
			}
			if got := F16.FromNumber(v + (next-v)*0.4); got != int64(h) {
				t.Fatalf("a number near %#x is %#x", h, got)
			}
		}
	}
	for v, want := range map[float64]int64{1: 0x3c00, -2: 0xc000, 65504: 0x7bff, 65519: 0x7bff, 65520: 0x7c00, math.Inf(-1): 0xfc00, 0x1p-24: 1, 0x1p-25: 0, 0x1p-14: 0x400} {
		if got := F16.FromNumber(v); got != want {
			t.Errorf("%g is %#x, want %#x", v, got, want)
		}
	}
}

// TestMulHi compares the upper half of products with those of package big.
func TestMulHi(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	exact := func(t Type, v int64) *big.Int {
		if t == U64 {
			return new(big.Int).SetUint64(uint64(v))
		}
		return big.NewInt(v)
	}
	for _, typ := range []Type{I8, I16, I32, I64, U8, U16, U32, U64} {
		for range 2000 {
			a, b := Wrap(typ, int64(r.Uint64()>>r.IntN(64))), Wrap(typ, -int64(r.Uint64()>>r.IntN(64)))
			p := new(big.Int).Mul(exact(typ, a), exact(typ, b))
			want := Wrap(typ, int64(new(big.Int).Rsh(p, uint(typ.Bits())).Int64()))
			if typ == U64 {
				want = int64(new(big.Int).Rsh(p, 64).Uint64())
			}
			if got, ok := Eval(MulHi, typ, a, b); !ok || got != want {
				t.Fatalf("mul_hi.%v(%d, %d) is %d, want %d", typ, a, b, got, want)
			}
		}
	}
}

// TestMath goes through operations with results that are known.
func TestMath(t *testing.T) {
	f := func(v float64) int64 { return F32.FromNumber(v) }
	for i, c := range []struct{ got, want int64 }{
		{un(t, Sqrt, F32, f(9)), f(3)},
		{un(t, Rint, F32, f(2.5)), f(2)},
		{un(t, Round, F32, f(2.5)), f(3)},
		{un(t, Exponent, F32, f(6)), f(3)},
		{un(t, Mantissa, F32, f(6)), f(0.75)},
		{un(t, Clz, I16, -1), 0},
		{un(t, Clz, U8, 1), 7},
		{un(t, Clz, I32, 0), 32},
		{un(t, Ctz, U16, 0), 16},
		{un(t, Ctz, I32, 8), 3},
		{un(t, Popcount, I8, -1), 8},
		{bin(t, Fmod, F32, f(-7), f(3)), f(-1)},
		{bin(t, IRemainder, F32, f(5), f(3)), f(-1)},
		{bin(t, Ldexp, F32, f(3), 2), f(12)},
		{bin(t, Rootn, F32, f(-27), 3), f(-3)},
		{bin(t, Nextafter, F32, f(1), f(2)), f(1) + 1},
		{bin(t, Nextafter, F32, f(0), f(-1)), 0x80000001},
		{bin(t, Nextafter, F32, f(-1), f(0)), f(-1) - 1},
		{bin(t, Nextafter, F64, F64.FromNumber(0), F64.FromNumber(-1)), math.MinInt64 + 1},
	} {
		if c.got != c.want {
			t.Errorf("%d: %#x, want %#x", i, c.got, c.want)
		}
	}
	if _, ok := Eval(Pow, I32, 2, 3); ok {
		t.Error("integers have no pow")
	}
	if _, ok := EvalUn(Sin, I32, 2); ok {
		t.Error("integers have no sine")
	}
}

func un(t *testing.T, op Alu, typ Type, a int64) int64 {
	v, ok := EvalUn(op, typ, a)
	if !ok {
		t.Errorf("%v.%v fails", op, typ)
	}
	return v
}

func bin(t *testing.T, op Alu, typ Type, a, b int64) int64 {
	v, ok := Eval(op, typ, a, b)
	if !ok {
		t.Errorf("%v.%v fails", op, typ)
	}
	return v
}
