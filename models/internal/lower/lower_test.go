package lower

import (
	"slices"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// run returns what a function stores in the cells of x: evaluated as it is emitted, and
// when the code that is made of it is executed.
func run(t *testing.T, cells int, emit func(f *Func, x int64)) (plain, made []int64) {
	t.Helper()
	p := NewProgram("test")
	x := p.Global(ir.Object{Name: "x", Layout: &ir.Layout{Elem: ir.Scalar(ir.I64, false), Len: cells}, Init: make([]int64, cells)})
	f := p.NewFunc("f", 0)
	p.Threads = []ir.Thread{{Name: "f", Place: memmodel.Place{Host: true}}}
	emit(f, x)
	f.End()
	memory, at, ok := f.Evaluate()
	if !ok {
		t.Fatal("cannot be evaluated", at)
	}
	p.Finish()
	p.Link()
	if err := p.Verify(); err != nil {
		t.Fatal(err)
	}
	for i := range cells {
		plain = append(plain, memory[x+int64(i)])
	}
	return plain, execute(t, p.Funcs[0], x, cells)
}

// execute executes code without meetings and without private memory.
func execute(t *testing.T, f *ir.Func, x int64, cells int) []int64 {
	regs, memory := make([]int64, f.Regs), make([]int64, cells)
	get := func(o int32) int64 {
		if o < 0 {
			return f.Consts[^o]
		}
		return regs[o]
	}
	for pc, steps := int32(0), 0; ; steps++ {
		if steps > 1000 {
			t.Fatalf("no end:\n%v", f.Code)
		}
		in := &f.Code[pc]
		pc++
		switch in.Op {
		case ir.OpMove:
			regs[in.Dst] = get(in.A)
		case ir.OpBin:
			regs[in.Dst], _ = ir.Eval(in.Alu, in.Type, get(in.A), get(in.B))
		case ir.OpLoad:
			regs[in.Dst] = memory[get(in.A)-x]
		case ir.OpStore:
			memory[get(in.A)-x] = get(in.B)
		case ir.OpJump:
			pc = in.Target
		case ir.OpBranch:
			if pc = in.Target; get(in.A) == 0 {
				pc = in.Else
			}
		case ir.OpEnd:
			return memory
		default:
			t.Fatalf("unexpected %v", in)
		}
	}
}

// unknown returns a register whose value nothing can tell before the code is executed.
func unknown(f *Func, x, v int64) int32 {
	f.Store(ir.I64, f.Constant(x), f.Constant(v))
	return f.Load(ir.I64, f.Constant(x))
}

func TestControl(t *testing.T) {
	for _, c := range []struct {
		name string
		want []int64
		emit func(f *Func, x int64)
	}{
		{"a conditional takes one of its branches", []int64{0, 2}, func(f *Func, x int64) {
			f.If(unknown(f, x, 0), func() { f.Store(ir.I64, f.Constant(x+1), f.Constant(1)) },
				func() { f.Store(ir.I64, f.Constant(x+1), f.Constant(2)) })
		}},
		{"a conditional may have one branch", []int64{1, 1}, func(f *Func, x int64) {
			f.If(unknown(f, x, 1), func() { f.Store(ir.I64, f.Constant(x+1), f.Constant(1)) }, nil)
		}},
		{"a case is that of the value", []int64{5, 50}, func(f *Func, x int64) {
			f.Cases(ir.I64, unknown(f, x, 5), []int64{4, 5, 6}, func(v int64) { f.Store(ir.I64, f.Constant(x+1), f.Constant(10*v)) },
				func() { f.Store(ir.I64, f.Constant(x+1), f.Constant(-1)) })
		}},
		{"of no case, otherwise", []int64{7, -1}, func(f *Func, x int64) {
			f.Cases(ir.I64, unknown(f, x, 7), []int64{4, 5, 6}, func(v int64) { f.Store(ir.I64, f.Constant(x+1), f.Constant(10*v)) },
				func() { f.Store(ir.I64, f.Constant(x+1), f.Constant(-1)) })
		}},
		{"a loop goes over the numbers below n", []int64{4, 6}, func(f *Func, x int64) {
			n := unknown(f, x, 4)
			sum := f.NewReg("sum")
			f.Move(sum, f.Constant(0))
			f.Repeat(n, func(i int32) { f.Move(sum, f.Bin(ir.Add, ir.I64, sum, i)) })
			f.Store(ir.I64, f.Constant(x+1), sum)
		}},
		{"moves at once: a cycle of three and what follows it", []int64{3, 1, 2, 3}, func(f *Func, x int64) {
			r := []int32{f.NewReg(""), f.NewReg(""), f.NewReg(""), f.NewReg("")}
			for i := range 3 {
				f.Move(r[i], unknown(f, x+int64(i), int64(i+1)))
			}
			f.Move(r[3], f.Constant(0))
			f.Parallel(r, []int32{r[2], r[0], r[1], r[2]})
			for i := range r {
				f.Store(ir.I64, f.Constant(x+int64(i)), r[i])
			}
		}},
		{"what follows the end of a block is nowhere", []int64{0, 1}, func(f *Func, x int64) {
			on := NewBlock()
			f.Jump(on)
			f.Store(ir.I64, f.Constant(x), f.Constant(9)) // behind a goto
			f.If(f.Load(ir.I64, f.Constant(x)), func() { f.End() }, nil)
			f.Enter(on)
			f.Store(ir.I64, f.Constant(x+1), f.Constant(1))
		}},
		{"a branch of a conditional may leave it", []int64{1, 3}, func(f *Func, x int64) {
			out := NewBlock()
			f.If(unknown(f, x, 1), func() {
				f.Store(ir.I64, f.Constant(x+1), f.Constant(3))
				f.Jump(out)
			}, nil)
			f.Store(ir.I64, f.Constant(x+1), f.Constant(4))
			f.Jump(out)
			f.Enter(out)
		}},
		{"a variable keeps its name for what it held", []int64{7, 8}, func(f *Func, x int64) {
			i := f.NewReg("i")
			f.Move(i, unknown(f, x, 7))
			old := f.Copy(i) // i++, whose value is that of before
			f.Move(i, f.Bin(ir.Add, ir.I64, i, f.Constant(1)))
			f.Store(ir.I64, f.Constant(x), old)
			f.Store(ir.I64, f.Constant(x+1), i)
		}},
	} {
		plain, made := run(t, len(c.want), c.emit)
		if !slices.Equal(plain, c.want) {
			t.Errorf("%s: as emitted it stores %v, want %v", c.name, plain, c.want)
		}
		if !slices.Equal(made, c.want) {
			t.Errorf("%s: the code stores %v, want %v", c.name, made, c.want)
		}
	}
}

// TestKnownCases shows that a value that is known leaves one case.
func TestKnownCases(t *testing.T) {
	p := NewProgram("test")
	f := p.NewFunc("f", 0)
	var emitted []int64
	f.Cases(ir.I64, f.Constant(5), []int64{4, 5, 6}, func(v int64) { emitted = append(emitted, v) }, func() { emitted = append(emitted, -1) })
	if !slices.Equal(emitted, []int64{5}) {
		t.Error("cases emitted for 5:", emitted)
	}
}

func TestMisuse(t *testing.T) {
	for name, misuse := range map[string]func(p *Program, f *Func){
		"a block without an end": func(p *Program, f *Func) { p.Finish() },
		"an ended block is entered": func(p *Program, f *Func) {
			b := f.Current()
			f.End()
			f.Enter(b)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			p := NewProgram("test")
			misuse(p, p.NewFunc("f", 0))
		}()
	}
}

func TestLegacy(t *testing.T) {
	atomic := func(note func(f *Func, x int64)) (cells []bool) {
		p := NewProgram("test")
		f := p.NewFunc("f", 0)
		x := p.Global(ir.Object{Name: "x", Layout: ir.Scalar(ir.I32, false)})
		p.Global(ir.Object{Name: "y", Layout: ir.Scalar(ir.I32, false)})
		p.Global(ir.Object{Name: "z", Layout: ir.Scalar(ir.U32, false)})
		f.Local(ir.Object{Name: "l", Layout: ir.Scalar(ir.I32, false)})
		note(f, x)
		f.End()
		p.Finish()
		for _, o := range p.Objects {
			cells = append(cells, o.Layout.Atomic)
		}
		return cells
	}
	if got := atomic(func(f *Func, x int64) { f.NoteLegacy(f.Constant(x), ir.I32) }); !slices.Equal(got, []bool{true, false, false, false}) {
		t.Error("of a known address:", got)
	}
	if got := atomic(func(f *Func, x int64) { f.NoteLegacy(f.Param("p"), ir.I32) }); !slices.Equal(got, []bool{true, true, false, true}) {
		t.Error("of an unknown address:", got)
	}
}

// TestSync tries every combination of orders against rules 4.1 and 4.2. Of acquire and
// release neither is stronger than the other.
func TestSync(t *testing.T) {
	orders := []memmodel.Order{memmodel.Relaxed, memmodel.Acquire, memmodel.Release, memmodel.AcqRel, memmodel.SeqCst}
	loads := []memmodel.Order{memmodel.Relaxed, memmodel.Acquire, memmodel.SeqCst}
	stores := []memmodel.Order{memmodel.Relaxed, memmodel.Release, memmodel.SeqCst}
	noStronger := map[memmodel.Order][]memmodel.Order{ // rule 4.2: the order of failure, by that of success
		memmodel.Relaxed: {memmodel.Relaxed}, memmodel.Release: {memmodel.Relaxed, memmodel.Acquire}, memmodel.SeqCst: loads,
		memmodel.Acquire: {memmodel.Relaxed, memmodel.Acquire}, memmodel.AcqRel: {memmodel.Relaxed, memmodel.Acquire},
	}
	for _, o := range orders {
		check := func(op ir.Op, fail memmodel.Order, legal bool) {
			s := Sync{Op: op, Order: o, Fail: fail, Scope: memmodel.ScopeDevice}
			if got := s.Check() == nil; got != legal {
				t.Errorf("%v %v, on failure %v: legal %v, want %v", op, o, fail, got, legal)
			}
		}
		check(ir.OpLoad, 0, slices.Contains(loads, o))
		check(ir.OpStore, 0, slices.Contains(stores, o))
		check(ir.OpRMW, 0, true)
		for _, fail := range orders {
			check(ir.OpCmpXchg, fail, slices.Contains(noStronger[o], fail))
		}
	}
	for _, c := range []struct {
		s     Sync
		legal bool
	}{
		{Sync{Op: ir.OpRMW, Order: memmodel.Relaxed, Scope: memmodel.ScopeWorkItem}, false}, // rule 3.3
		{Sync{Op: ir.OpFence, Order: memmodel.AcqRel, Scope: memmodel.ScopeWorkItem, Flags: memmodel.ImageFence}, true},
		{Sync{Op: ir.OpFence, Order: memmodel.AcqRel, Scope: memmodel.ScopeWorkItem, Flags: memmodel.GlobalFence}, false},
		{Sync{Op: ir.OpFence, Order: memmodel.AcqRel, Scope: memmodel.ScopeDevice}, false}, // rule 4.3
		{Sync{Op: ir.OpBarrier, Scope: memmodel.ScopeWorkGroup}, true},
		{Sync{Op: ir.OpBarrier, Scope: memmodel.ScopeDevice, Flags: memmodel.ImageFence}, false},                                          // rule 4.5
		{Sync{Op: ir.OpFence, Order: memmodel.AcqRel, Scope: memmodel.ScopeAllSVMDevices, Flags: memmodel.LocalFence, Host: true}, false}, // rule 1.2
	} {
		if got := c.s.Check() == nil; got != c.legal {
			t.Errorf("%+v: legal %v, want %v", c.s, got, c.legal)
		}
	}
}
