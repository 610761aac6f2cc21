package state

import "slices"

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
	return slices.Equal(before.reg(u), after.reg(u)) && slices.Equal(before.obs, after.obs)
}
