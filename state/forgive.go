package state

import "github.com/clmc/clmc/state/ir"

// Forgive has an execution go on after a data race, as if it had been none. What the unit that
// raced has failed at in the same step is then what is wrong with the execution.
func (m *Machine) Forgive(s *State) {
	if s.Violation.Kind != DataRace || s.Open() {
		return
	}
	u := s.Violation.Unit
	s.Violation = Violation{}
	if unit := &s.Cast.Units[u]; s.status[u] == Stuck && unit.Func >= 0 {
		switch in := &m.Program.Funcs[unit.Func].Code[s.pc[u]]; in.Op {
		case ir.OpAssert:
			s.fail(u, int(s.pc[u]), AssertionFailed)
		case ir.OpCheck:
			s.fail(u, int(s.pc[u]), checkKinds[in.Check])
		}
	}
}
