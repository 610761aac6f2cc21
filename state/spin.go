package state

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Spins reports whether the step of unit u from before to after was a round of
// waiting: a read after which the unit is about to do the same
// once more and nothing else has changed but what it has seen. An execution
// without that round allows all that follows it, so it need not be explored. A
// race of the round with a write needs no round either: the unit still waits when
// the write has been performed, and may then read what it would have read.
func (m *Machine) Spins(before, after *State, u int) bool {
	if after.Cast != before.Cast || after.pc[u] != before.pc[u] || after.status[u] != Ready ||
		after.Violation.Kind != before.Violation.Kind || after.Abandoned || after.reached != before.reached {
		return false
	}
	return slices.Equal(before.reg(u), after.reg(u)) && slices.Equal(before.obs, after.obs) && m.leaves(before, after, u)
}

// leaves reports whether the step of unit u from before to after has left the newest
// value of the location that it has read as it was: an exchange that changes it
// has others go on, and is no wait.
func (m *Machine) leaves(before, after *State, u int) bool {
	x := m.Reading(before, u)
	return x < 0 || before.Mem.Value(x, 0) == after.Mem.Value(x, 0)
}

// Idles reports whether an outcome of unit u's next operation, which reads location
// x, is a round of waiting: as Spins does, but without performing it, and only
// where that is plain to see.
func (m *Machine) Idles(s *State, u, x int, c Choice) bool {
	unit := &s.Cast.Units[u]
	if unit.Func < 0 || !m.Plans[unit.Func][s.pc[u]].Loops || m.Beyond || m.Maps || m.Traits.SeqCst ||
		m.Keep&memmodel.KeepRegisters != 0 || !s.Mem.Calm(x) || s.Mem.Promised() {
		return false
	}
	if in := &m.Program.Funcs[unit.Func].Code[s.pc[u]]; in.Op != ir.OpLoad && !c.Fail || c.Promise != 0 || int(c.Back) == s.Mem.Readable(u, x) {
		return false
	}
	regs := s.reg(u)
	if len(regs) > maxGlimpse {
		return false
	}
	var after [maxGlimpse]int64
	pc, ok := m.glimpse(s, u, s.Mem.Value(x, int(c.Back)), &after)
	return ok && pc == s.pc[u] && slices.Equal(regs, after[:len(regs)])
}

// retries reports whether the compare-exchange at pc, if it fails, leads straight
// back to itself with the registers as they were when it was first come to: by
// private operations in a line that is entered at its beginning only, and whose
// results depend on nothing that changes there.
func retries(f *ir.Func, pc int) bool {
	in := &f.Code[pc]
	if in.Dst < 0 || in.Dst2 >= 0 || pc+1 == len(f.Code) || f.Code[pc+1].Op != ir.OpBranch || f.Code[pc+1].A != in.Dst {
		return false
	}
	again := int(f.Code[pc+1].Else)
	if again > pc {
		return false
	}
	for at := range f.Code {
		for _, next := range f.Code[at].Successors(at) {
			if to := int(next); to > again && to <= pc && (at < again || at != to-1) {
				return false
			}
		}
	}
	changes := map[int32]bool{in.Dst: true} // and has not been set yet
	for _, i := range f.Code[again:pc] {
		changes[i.Dst] = true
	}
	for _, i := range f.Code[again:pc] {
		switch i.Op {
		case ir.OpMove, ir.OpBin, ir.OpUn, ir.OpConv:
			if i.A >= 0 && changes[i.A] || i.Op == ir.OpBin && i.B >= 0 && changes[i.B] {
				return false
			}
			changes[i.Dst] = false
		case ir.OpCheck:
			if i.A >= 0 && changes[i.A] {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// ComesBack reports whether unit u's code may come back to its next operation.
func (m *Machine) ComesBack(s *State, u int) bool {
	fn, pc := s.Cast.Units[u].Func, s.pc[u]
	return fn >= 0 && (m.Plans[fn][pc].Loops || !m.Program.Funcs[fn].Code[pc].Op.Access())
}
