package ir

import (
	"math/rand/v2"
	"testing"
)

// TestOperationsAreDecided checks that each operation has a row in the table of operations, that nothing else has one, and
// that a property never stands there without decided.
func TestOperationsAreDecided(t *testing.T) {
	for o, p := range operations {
		if want := o < numOps; (p&decided != 0) != want || p != 0 && p&decided == 0 {
			t.Errorf("operation %d of %d has the properties %b: give it a row in operations", o, numOps, p)
		}
	}
}

// TestUndecidedIsRefused checks that a program with an operation that has no row is no program, and that no property is taken for
// granted of such an operation.
func TestUndecidedIsRefused(t *testing.T) {
	const fresh = Op(numOps)
	if !fresh.Visible() || fresh.Access() || fresh.Meets() {
		t.Error("an operation without a row is taken for one that is known")
	}
	p := &Program{Positions: []Pos{{}}, Funcs: []*Func{{Name: "f", Code: []Instr{{Op: fresh, Dst: -1, Dst2: -1}, {Op: OpEnd, Dst: -1, Dst2: -1}}}}}
	if err := p.Verify(); err == nil {
		t.Error("a program with an operation that nobody has decided is accepted")
	}
}

// TestClassesCommute checks the definition of a class by values: operations of one class, in either order, leave the same. An
// operation without a row has no class, and neither has one of floating-point numbers.
func TestClassesCommute(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pairs := 0
	for a := range Exponent + 1 {
		if a.Class(F32) != Ordered || a.Class(F64) != Ordered {
			t.Errorf("%v of floating-point numbers is said to commute", a)
		}
		for b := range Exponent + 1 {
			if a.Class(I32) == Ordered || a.Class(I32) != b.Class(I32) {
				continue
			}
			pairs++
			for _, typ := range []Type{I8, I16, I32, I64, U8, U16, U32, U64} {
				for range 500 {
					x, p, q := drawValue(rng, typ), drawValue(rng, typ), drawValue(rng, typ)
					if one, other := twice(a, b, typ, x, p, q), twice(b, a, typ, x, q, p); one != other {
						t.Fatalf("%d %v %d %v %d of type %v is %d, and %d the other way round", x, a, p, b, q, typ, one, other)
					}
				}
			}
		}
	}
	if pairs != 12 { // add and sub, and and andnot: 4 pairs each; or, xor, min and max: with themselves
		t.Errorf("%d pairs commute, want 12", pairs)
	}
	if (Exponent + 1).Class(I32) != Ordered {
		t.Error("an operation without a row is said to commute")
	}
}

// twice performs two modifications of a value.
func twice(first, second Alu, t Type, x, p, q int64) int64 {
	x, _ = Eval(first, t, x, p)
	x, _ = Eval(second, t, x, q)
	return x
}

// drawValue draws a value of a type, often one near the ends of its range.
func drawValue(rng *rand.Rand, t Type) int64 {
	r := rangeOf(t)
	switch rng.IntN(3) {
	case 0:
		return Wrap(t, r.Lo+rng.Int64N(3))
	case 1:
		return Wrap(t, r.Hi-rng.Int64N(3))
	}
	return Wrap(t, int64(rng.Uint64()))
}
