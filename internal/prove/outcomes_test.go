package prove

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/clmc/clmc/state/ir"
)

// TestClasses compares classes of values with all values, by random expressions over a byte or two: each value must have the
// outcomes of one class, and no two classes have the same.
func TestClasses(t *testing.T) {
	types := []ir.Type{ir.I8, ir.U8, ir.I16, ir.U16, ir.Bool, ir.F16}
	full := 0
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 46))
		typ := types[r.IntN(len(types))]
		var list []ir.Outcome
		for range 1 + r.IntN(4) {
			o := ir.Outcome{Of: randomExpr(r, 1+r.IntN(4)), Truth: r.IntN(3) > 0}
			if typ.Float() {
				a, b := ir.Unknown(), ir.Number(specialHalves[r.IntN(len(specialHalves))])
				if r.IntN(2) == 0 {
					a, b = b, a
				}
				o = ir.Outcome{Of: ir.Apply(&ir.Instr{Op: ir.OpBin, Alu: ir.Eq + ir.Alu(r.IntN(6)), Type: typ}, a, b), Truth: true}
			}
			if len(list) > 0 && r.IntN(3) == 0 {
				o.Given = append(o.Given, list[0].Of)
			}
			list = append(list, o)
		}
		want := map[string]bool{}
		vector := func(x int64) string {
			s := ""
			for i := range list {
				s += fmt.Sprint(list[i].Eval(x), " ")
			}
			return s
		}
		for x := range int64(1) << typ.Bits() {
			want[vector(ir.Wrap(typ, x))] = true
		}
		values := classes(typ, list, 64, time.Minute)
		if len(want) > 64 {
			if values != nil {
				t.Fatalf("seed %d: %d classes, where there are %d", seed, len(values), len(want))
			}
			continue
		}
		got := map[string]bool{}
		for _, x := range values {
			if ir.Wrap(typ, x) != x {
				t.Errorf("seed %d: %d is no value of the type", seed, x)
			}
			got[vector(x)] = true
		}
		if len(got) != len(want) || len(values) != len(want) {
			t.Fatalf("seed %d: %d classes with %d outcomes, where there are %d", seed, len(values), len(got), len(want))
		}
		full++
	}
	if full < 45 {
		t.Errorf("only %d had few enough classes", full)
	}
}

// specialHalves are numbers of 16 bits: zeros, ones, the least and the largest, infinite ones, and what is no number.
var specialHalves = []int64{0, 0x8000, 0x3c00, 0xbc00, 1, 0x8001, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x3555}

// randomExpr returns an expression of the operations that circuits are made of.
func randomExpr(r *rand.Rand, depth int) *ir.Expr {
	types := []ir.Type{ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.U64}
	e := ir.Unknown()
	for range depth {
		in := ir.Instr{Op: ir.OpBin, Type: types[r.IntN(len(types))]}
		k := int64(r.IntN(300) - 100)
		switch r.IntN(8) {
		case 0:
			in.Op, in.From = ir.OpConv, ir.I32
		case 1:
			in.Op, in.Alu = ir.OpUn, []ir.Alu{ir.Neg, ir.Not, ir.Compl}[r.IntN(3)]
		case 2:
			in.Alu, k = []ir.Alu{ir.Shl, ir.Shr}[r.IntN(2)], int64(r.IntN(70))
		case 3:
			in.Alu, in.Type = []ir.Alu{ir.Div, ir.Rem}[r.IntN(2)], types[r.IntN(6)]
			if k = ir.Wrap(in.Type, k); k == 0 {
				k = 4
			}
		default:
			all := []ir.Alu{ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.AndNot, ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge, ir.Min, ir.Max}
			in.Alu = all[r.IntN(len(all))]
		}
		b := ir.Number(ir.Wrap(in.Type, k))
		// As front ends do, an operand is of the type that the operation works with.
		a := ir.Apply(&ir.Instr{Op: ir.OpConv, Type: in.Type, From: ir.I64}, e, nil)
		if in.Op != ir.OpBin {
			b = nil
		}
		if r.IntN(4) == 0 && b != nil && in.Alu != ir.Shl && in.Alu != ir.Shr && in.Alu != ir.Div && in.Alu != ir.Rem {
			a, b = b, a
		}
		e = ir.Apply(&in, a, b)
	}
	return e
}
