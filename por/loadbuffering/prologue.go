package loadbuffering

import (
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// begin performs what the only host thread does before anything else can happen, and returns the point that it
// reaches. The values that it writes last are the initial values of the analysis: nobody can read older ones.
// docs/exploration/thread-modular.md, "The beginning".
func (a *threadModular) begin(t *thread, regs []int64) (pc int32) {
	f, alone := a.m.Program.Funcs[t.unit.Func], a.m.alonePoints(t.unit.Func)
	before := make([]int64, len(regs))
	for {
		copy(before, regs)
		at, _ := a.sequential.Run(&t.unit, pc, regs, maxModularSteps)
		if at != state.RunOver && at != state.RunLost && alone[at] && a.initialise(t, f, at, regs) {
			pc = at + 1
			continue
		}
		copy(regs, before)
		return pc
	}
}

// initialise performs an access of the host thread that no other unit can see or disturb. It reports whether it
// could.
func (a *threadModular) initialise(t *thread, f *ir.Func, pc int32, regs []int64) bool {
	in := &f.Code[pc]
	if !in.Op.Access() || in.Weak || a.m.Halted() {
		return false
	}
	i := a.resolve(t, f.Operand(regs, in.A), in)
	if a.work++; i < 0 || a.work > maxModularWork {
		return false
	}
	c := a.cells[i]
	if c.uninitialised && in.Op != ir.OpStore {
		return false
	}
	a.dependencies.touch(t.unit.Func, pc, c.object)
	old, result, result2 := int64(0), int64(0), int64(0)
	if !c.uninitialised {
		old = c.list[0]
	}
	to, w := old, f.Intent(in, regs)
	switch in.Op {
	case ir.OpLoad:
		result = old
	case ir.OpStore:
		if to = w.B; in.Type == ir.Ptr && facts.Narrower(w.B, a.m.Program.Objects[c.object].Region) {
			return false
		}
	case ir.OpRMW:
		result = old
		to, _ = w.Modified(old)
	case ir.OpCmpXchg:
		result2 = old
		if v, hit := w.Modified(old); hit {
			result, to = 1, v
		}
	default:
		return false
	}
	if !c.symbolic {
		c.uninitialised, c.list, c.values = false, []int64{to}, map[int64]*cellContent{to: {free: true}}
	}
	if d, d2 := in.Results(); d >= 0 || d2 >= 0 {
		set(regs, d2, result2)
		set(regs, d, result)
	}
	if in.Rounds != nil {
		in.Rounds.Clear(regs)
	}
	return true
}
