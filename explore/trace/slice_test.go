package trace

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// What a slice leaves out makes no difference: a program in which the operations that it does not
// show are not performed, and what they read is another value, goes wrong in the same way
// at the same place. Other checks are left out, too, lest they fail first.
func TestSlicesAreEnough(t *testing.T) {
	styles := append(randprog.Styles(), randprog.Loops, randprog.Spins, randprog.Values, randprog.Cycles)
	sliced, left, unknown := 0, 0, 0
	for _, style := range styles {
		for seed := range seeds.All() {
			p := locate(style.Program(uint64(seed)))
			spec := memmodel.Specs[seed%len(memmodel.Specs)]
			r := explore.Run(context.Background(), p, explore.Options{Spec: spec, All: true, MaxStates: 3000, KeepSchedule: seed%2 == 0})
			for _, v := range r.Violations {
				if v.Kind == state.Unreachable {
					continue
				}
				tr, err := Build(p, spec, v)
				if err != nil {
					t.Fatal(err)
				}
				if tr.Slice == nil {
					continue
				}
				sliced++
				less, n := without(p, tr)
				if n == 0 {
					continue
				}
				left += n
				switch found, complete := has(less, spec, &v); {
				case found:
				case !complete:
					unknown++
				default:
					t.Errorf("%s %d, spec %s: %s at %s is gone without what the slice %v leaves out:\n%s\n%s\nwithout:\n%s", style, seed, spec.Name, v.Kind, v.Line, tr.Slice,
						describe(tr), randprog.Format(p), randprog.Format(less))
				}
			}
		}
	}
	t.Logf("%d slices, which leave out %d operations; of %d it is not known", sliced, left, unknown)
	if sliced < seeds.N() || left < seeds.N() {
		t.Error("too few")
	}
}

// has reports whether a program goes wrong in the same way at the same place. A reduced search
// does not list what is never the first thing to go wrong on a path that it takes.
func has(p *ir.Program, spec memmodel.Spec, v *explore.Violation) (found, complete bool) {
	for _, mode := range []por.Mode{por.DPOR, por.None} {
		r := explore.Run(context.Background(), p, explore.Options{POR: mode, Spec: spec, All: true, MaxStates: 20_000, KeepSchedule: true})
		for _, w := range r.Violations {
			if w.Kind == v.Kind && (w.Line == v.Line || w.Location == v.Location && v.Location != "" || v.Kind == state.Deadlock || v.Kind == state.NoWayOut) {
				return true, true
			}
		}
		complete = r.Complete
	}
	return false, complete
}

// without returns a program that does not perform the operations of which a trace's slice shows
// none, and how many it leaves out.
func without(p *ir.Program, t *Trace) (*ir.Program, int) {
	shown, hidden := map[*ir.Instr]bool{}, map[*ir.Instr]bool{}
	for i := range t.Steps {
		if s := &t.Steps[i]; t.Needed(s.ID) {
			shown[s.instr] = true
		} else {
			hidden[s.instr] = true
		}
	}
	less := *p
	less.Funcs = slices.Clone(p.Funcs)
	n := 0
	for i, f := range p.Funcs {
		g := *f
		g.Code, g.Consts = slices.Clone(f.Code), slices.Clone(f.Consts)
		for pc := range f.Code {
			in := &f.Code[pc]
			if hidden[in] && !shown[in] && (in.Op != ir.OpBarrier || t.kind != state.BarrierDivergence) && leave(&g, pc) {
				n++
			}
			if (in.Op == ir.OpAssert || in.Op == ir.OpCheck) && place(p, in.Pos).Line != t.At.Line && (t.Consequence == nil || place(p, in.Pos).Line != t.Consequence.At.Line) {
				g.Code[pc] = ir.Instr{Op: ir.OpNop, Pos: in.Pos} // it might fail first
			}
		}
		less.Funcs[i] = &g
	}
	less.Link()
	return &less, n
}

// leave replaces an instruction by one that does nothing but say that another value was read.
func leave(f *ir.Func, pc int) bool {
	in := &f.Code[pc]
	dst, dst2 := in.Results()
	switch in.Op {
	case ir.OpLoad, ir.OpStore, ir.OpRMW, ir.OpCmpXchg, ir.OpFence, ir.OpBarrier, ir.OpChoose:
	default:
		return false
	}
	if dst2 >= 0 && dst >= 0 || in.Type == ir.Ptr {
		return false
	}
	if dst = max(dst, dst2); dst < 0 {
		f.Code[pc] = ir.Instr{Op: ir.OpNop, Pos: in.Pos}
		return true
	}
	f.Consts = append(f.Consts, 78) // work-item 0 of a group, for who makes a number of it
	f.Code[pc] = ir.Instr{Op: ir.OpMove, Dst: dst, Dst2: -1, A: ^int32(len(f.Consts) - 1), Pos: in.Pos}
	return true
}

// marked are models whose lines that belong to the slice are marked, by what the comment says.
var marked = []struct {
	name string
	kind state.Kind
	code string
}{
	// The read of d happens after the write by the fences, which meet through x: 6.5.
	{"order", state.AssertionFailed, `
func k() {
	if cl.GetGlobalID(0) == 0 {
		d = 1 // +
		e = 1
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderRelease, cl.MemoryScopeDevice) // +
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) // +
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		return
	}
	cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) // +
	cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) // +
	v := d // +
	cl.Assert(v == 0, "none") // +
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1)) // +
	cl.Finish()
}
`},
	// That v is still what was read of z depends on what was read of x, and not on y.
	{"kept", state.AssertionFailed, `
func k() {
	v := cl.AtomicLoadExplicit(&z, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) // +
	if cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1 { // +
		v = 1
	}
	if cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1 {
		e = 1
	}
	cl.Assert(v == 1, "none") // +
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1)) // +
	cl.Finish()
}
`},
	// What is stored to y was read of x, and who stored that counts; what it could not have
	// come from does not.
	{"made", state.AssertionFailed, `
func k() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) // +
	case 1:
		e = 1
		v := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) // +
		cl.AtomicStoreExplicit(&y, v, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) // +
	case 2:
		v := cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) // +
		cl.Assert(v == 0, "none") // +
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(3, 1)) // +
	cl.Finish()
}
`},
	// The execution is one only because x was 1.
	{"assumed", state.AssertionFailed, `
func k() {
	if cl.GetGlobalID(0) == 0 {
		d = 1
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) // +
		return
	}
	cl.Assume(cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1) // +
	cl.Assert(cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1, "none") // +
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1)) // +
	cl.Finish()
}
`},
	// The first kernel has nothing to do with it, nor what is computed beside the write.
	{"race", state.DataRace, `
func j() {
	e = 1
}

func k() {
	f[cl.GetGlobalID(0)] = 1
	d = 1 // +
}

func main() {
	cl.EnqueueNDRangeKernel(j, cl.NDRange1D(1, 1))
	cl.Finish()
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1)) // +
	cl.Finish()
}
`},
}

// Slices have the marked lines, and no others.
func TestSlices(t *testing.T) {
	for _, m := range marked {
		text := "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nvar (\n\tx, y, z cl.AtomicInt\n\td, e int32\n\tf [2]int32\n)\n" + m.code
		p, err := load.Source(m.name+".go", []byte(text), load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tr := first(t, p, memmodel.Specs[0], m.kind)
		for n, line := range strings.Split(text, "\n") {
			shown, performed := false, false
			for i := range tr.Steps {
				if s := &tr.Steps[i]; s.Line == n+1 {
					shown, performed = shown || tr.Needed(s.ID), true
				}
			}
			if want := strings.HasSuffix(line, "// +"); shown != want {
				t.Errorf("%s: line %d is shown: %v, performed: %v\n%s\n%s", m.name, n+1, shown, performed, line, describe(tr))
			}
		}
	}
}
