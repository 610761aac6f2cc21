package ir

import (
	"math/rand/v2"
	"testing"
)

// Whatever an operation makes of values of two spans lies in the span that it
// makes of the spans, and a comparison that holds survives refinement.
func TestSpansHoldAllResults(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := []Type{I8, U8, I32, U32, I64, U64, Ptr}
	for range 200_000 {
		typ := types[rng.IntN(len(types))]
		a, b := randomSpan(rng, typ), randomSpan(rng, typ)
		x, y := member(rng, a), member(rng, b)
		op := Alu(rng.IntN(int(Xchg)))
		v, ok := Eval(op, typ, x, y)
		if !ok {
			continue
		}
		if s := evalSpan(op, typ, a, b); !s.Has(v) {
			t.Fatalf("%v %v %v in type %v: %v, which lacks %d op %d = %d", a, op, b, typ, s, x, y, v)
		}
		if j := a.Join(b); !j.Has(x) || !j.Has(y) {
			t.Fatalf("%v joined with %v: %v", a, b, j)
		}
		if op >= Eq && op <= Ge && v == 1 {
			if s := refine(op, typ, a, b); !s.Has(x) {
				t.Fatalf("%v where %v %v in type %v: %v, which lacks %d", a, op, b, typ, s, x)
			}
		}
		to := types[rng.IntN(len(types))]
		if s := convertSpan(to, typ, a); !s.Has(Convert(to, typ, x)) {
			t.Fatalf("%v of type %v to %v: %v lacks that of %d", a, typ, to, s, x)
		}
	}
}

func randomSpan(rng *rand.Rand, t Type) Span {
	pick := func() int64 {
		v := rng.Int64N(40) - 20
		if rng.IntN(4) == 0 {
			v = int64(rng.Uint64()) >> rng.IntN(64)
		}
		return Wrap(t, v)
	}
	lo, hi := pick(), pick()
	if rng.IntN(3) == 0 {
		hi = lo
	}
	return spanOf(min(lo, hi), max(lo, hi), 1+rng.Int64N(5))
}

func member(rng *rand.Rand, s Span) int64 {
	if s.Step == 0 {
		return s.Lo
	}
	n := (uint64(s.Hi) - uint64(s.Lo)) / uint64(s.Step)
	k := rng.Uint64()
	if n+1 != 0 {
		k %= n + 1
	}
	return s.Lo + int64(k*uint64(s.Step))
}
