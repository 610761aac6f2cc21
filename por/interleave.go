package por

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Interleave has all units see every atomic write at once if the executions of
// the program are the interleavings of its operations, and reports whether they
// are: docs/exploration/source-free.md says why. It must be called before the machine has
// made a state.
func Interleave(m *state.Machine) bool {
	if !interleaves(m) {
		return false
	}
	m.Traits.Interleaved, m.Traits.SeqCst = true, false // S is the order of execution
	return true
}

// interleaves reports whether all atomic operations are seq_cst and synchronise
// with each other, in global memory of one kind, and S exists (rules 8.1 to 8.3).
// docs/exploration/source-free.md, "Where all is seq_cst".
func interleaves(m *state.Machine) bool {
	t := &m.Traits
	if !t.SeqCst || t.Local || t.Grains || t.Promises || m.Beyond || m.Maps || m.DeviceQueue ||
		m.Spec.SC != memmodel.SCText || m.Spec.SCConditional || !m.Spec.SCBoth {
		return false
	}
	for fn, f := range m.Program.Funcs {
		for pc := range f.Code {
			if !interleaved(&f.Code[pc], m.OnHost[fn]) {
				return false
			}
		}
	}
	threads := m.Program.Threads
	for i := range threads {
		if p := threads[i].Place; !p.Host && p.Device != 0 {
			return false
		}
	}
	return true
}

// interleaved reports whether an operation takes effect for all units at once.
func interleaved(in *ir.Instr, host bool) bool {
	switch in.Op {
	case ir.OpLoad, ir.OpStore, ir.OpRMW, ir.OpCmpXchg:
		switch {
		case in.Order == memmodel.NonAtomic:
			return true
		case host: // its scope is another one
			return in.Op == ir.OpLoad
		}
		return in.Order == memmodel.SeqCst && in.Scope >= memmodel.ScopeDevice &&
			(in.Op != ir.OpCmpXchg || in.FailOrder == memmodel.SeqCst)
	case ir.OpBarrier: // what comes before it must happen before what comes after
		return !in.SubGroup && in.Flags&memmodel.GlobalFence != 0
	case ir.OpChoose, ir.OpEnqueueNDRange, ir.OpFinish:
		return true
	}
	return !in.Op.Visible()
}

// Watched returns the location of unit u's next operation if its reading makes a
// difference to whoever is about to write that location, else -1.
func (r *Reducer) Watched(s *state.State, u memmodel.Unit) memmodel.Loc {
	m := r.Machine
	if !m.Traits.Interleaved {
		return -1
	}
	return m.Reading(s, u)
}
