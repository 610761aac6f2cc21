package ir

import (
	"math"
	"strings"
	"testing"
)

// program returns a small program that is well formed.
func program() *Program {
	return &Program{
		Positions: []Pos{{}}, Strings: []string{"s"},
		Objects: []Object{{Name: "x", Func: -1, Layout: Scalar(I32, false), Init: []int64{0}}},
		Threads: []Thread{{Name: "host"}},
		Funcs: []*Func{{Name: "f", Regs: 2, Consts: []int64{SegShared, 1}, Code: []Instr{
			{Op: OpLoad, Type: I32, Dst: 0, A: ^0},
			{Op: OpBin, Alu: Add, Type: I32, Dst: 1, A: 0, B: ^1},
			{Op: OpBranch, A: 1, Target: 3, Else: 0},
			{Op: OpObserve, A: 1, Str: 0},
			{Op: OpEnd},
		}}},
	}
}

func TestVerify(t *testing.T) {
	if err := program().Verify(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want  string
		spoil func(p *Program)
	}{
		{"position 0", func(p *Program) { p.Positions = nil }},
		{"no layout", func(p *Program) { p.Objects[0].Layout = nil }},
		{"initial values", func(p *Program) { p.Objects[0].Init = []int64{1, 2} }},
		{"has no function", func(p *Program) { p.Threads[0].Func = 1 }},
		{"outside shared memory", func(p *Program) { p.Final = []FinalVar{{Name: "y", Addr: 1}} }},
		{"runs off the end", func(p *Program) { p.Funcs[0].Code = p.Funcs[0].Code[:4] }},
		{"too few registers", func(p *Program) { p.Funcs[0].Private = 3 }},
		{"result register", func(p *Program) { p.Funcs[0].Code[0].Dst = 2 }},
		{"operand out of range", func(p *Program) { p.Funcs[0].Code[1].A = 2 }},
		{"operand out of range", func(p *Program) { p.Funcs[0].Code[1].B = ^2 }},
		{"target out of range", func(p *Program) { p.Funcs[0].Code[2].Else = 5 }},
		{"string out of range", func(p *Program) { p.Funcs[0].Code[3].Str = 1 }},
		{"position out of range", func(p *Program) { p.Funcs[0].Code[3].Pos = 1 }},
		{"unknown operation", func(p *Program) { p.Funcs[0].Code[3].Op = numOps }},
		{"no read-modify-write", func(p *Program) { p.Funcs[0].Code[3] = Instr{Op: OpRMW, Alu: Mul} }},
		{"kernel out of range", func(p *Program) { p.Funcs[0].Code[3] = Instr{Op: OpEnqueueNDRange, Target: 1} }},
		{"0 arguments", func(p *Program) { p.Funcs[0].Code[3] = Instr{Op: OpEnqueueNDRange} }},
	} {
		p := program()
		c.spoil(p)
		if err := p.Verify(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func TestEval(t *testing.T) {
	f := func(x float64) int64 { return int64(math.Float64bits(x)) }
	for _, c := range []struct {
		op   Alu
		t    Type
		a, b int64
		want int64
		fail bool
	}{
		{Add, I32, math.MaxInt32, 1, math.MinInt32, false},
		{Add, U32, math.MaxUint32, 1, 0, false},
		{Sub, U8, 0, 1, 255, false},
		{Mul, I8, 16, 8, -128, false},
		{Div, I64, math.MinInt64, -1, math.MinInt64, false},
		{Div, U64, -1, 2, math.MaxInt64, false},
		{Rem, I32, -7, 2, -1, false},
		{Div, I32, 1, 0, 0, true},
		{Rem, U16, 1, 0, 0, true},
		{Shl, I32, 1, 40, 0, false},
		{Shr, I32, -1, 100, -1, false},
		{Shr, U32, math.MaxUint32, 31, 1, false},
		{Lt, I64, -1, 0, 1, false},
		{Lt, U64, -1, 0, 0, false},
		{Max, U64, -1, 1, -1, false},
		{Min, I64, -1, 1, -1, false},
		{Xchg, I32, 1, 2, 2, false},
		{Add, F64, f(0.5), f(0.25), f(0.75), false},
		{Lt, F64, f(math.NaN()), f(1), 0, false},
		{Rem, F64, f(1), f(1), 0, true},
	} {
		got, ok := Eval(c.op, c.t, c.a, c.b)
		if ok == c.fail || ok && got != c.want {
			t.Errorf("%s.%s %d, %d = %d, %v", c.op, c.t, c.a, c.b, got, ok)
		}
	}
	if got := Convert(I8, F64, f(1e9)); got != 127 {
		t.Errorf("int8(1e9) = %d", got)
	}
	if got := Convert(U32, I32, -1); got != math.MaxUint32 {
		t.Errorf("uint32(-1) = %d", got)
	}
}

// TestEvalAll checks that every arithmetic operation computes something and has a name of
// its own: what Eval does not know becomes 0 in a running program.
func TestEvalAll(t *testing.T) {
	named := map[string]Alu{}
	for op := Add; op <= Exponent; op++ {
		typ := I32
		switch {
		case op == Pipe:
			typ = U64
		case op >= Fmod:
			typ = F32
		}
		_, binary := Eval(op, typ, 6, 3)
		_, unary := EvalUn(op, typ, 6)
		if binary == unary {
			t.Errorf("%v: of two operands %v, of one %v", op, binary, unary)
		}
		if other, ok := named[op.String()]; ok {
			t.Errorf("operations %d and %d are both called %v", other, op, op)
		}
		named[op.String()] = op
	}
	if len(aluNames) != int(Exponent)+1 {
		t.Errorf("%d names of %d operations", len(aluNames), Exponent+1)
	}
}
