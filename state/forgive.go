package state

import "github.com/clmc/clmc/state/ir"

// Forgive has an execution go on after a data race, as if it had been none. What the unit that
// raced has failed at in the same step, or who waits for it in vain, is then what is wrong with the execution.
func (m *Machine) Forgive(s *State) {
	if s.Violation.Kind != DataRace || s.Open() {
		return
	}
	u := s.Violation.Unit
	s.Violation = Violation{}
	switch unit := &s.Cast.Units[u]; {
	case s.status[u] == Ended && unit.Group >= 0:
		m.miss(s, u)
	case s.status[u] == Stuck && unit.Func >= 0:
		switch in := &m.Program.Funcs[unit.Func].Code[s.pc[u]]; in.Op {
		case ir.OpAssert:
			s.fail(u, int(s.pc[u]), AssertionFailed)
		case ir.OpCheck:
			s.fail(u, int(s.pc[u]), checkKinds[in.Check])
		}
	}
}
