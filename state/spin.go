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

// ComesBack reports whether unit u's code may come back to its next operation.
func (m *Machine) ComesBack(s *State, u int) bool {
	fn, pc := s.Cast.Units[u].Func, s.pc[u]
	return fn >= 0 && (m.Plans[fn][pc].Loops || !m.Program.Funcs[fn].Code[pc].Op.Access())
}
