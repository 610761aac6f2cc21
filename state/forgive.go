package state

import "github.com/clmc/clmc/state/ir"

// forgive has an execution go on after a data race, as if it had been none. What the unit that
// raced has failed at in the same step, or who waits for it in vain, is then what is wrong with the execution.
func (m *Machine) forgive(s *State) {
	if s.Violation.Kind != DataRace || s.Open() {
		return
	}
	u := s.Violation.Unit
	s.Violation, s.PastRace = Violation{}, true
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

// Pass has an execution go on after what is wrong with it, if that is a data race, a read of what nobody has written, or may be the
// consequence of either: behind an assertion that has failed its unit goes on; what was not written is 0; after anything else
// the unit stands still, if it has come to that. It reports whether the execution goes on.
func (m *Machine) Pass(s *State) bool {
	if s.Open() || s.Abandoned {
		return false
	}
	if s.Violation.Kind == DataRace {
		m.forgive(s)
		return true
	}
	u, blank := s.Violation.Unit, s.Violation.Kind == UninitialisedRead
	if !blank && (!s.PastRace || !s.Violation.Kind.MayComeOfRace()) {
		return false
	}
	s.Violation, s.PastRace = Violation{}, true
	if unit := &s.Cast.Units[u]; s.status[u] == Stuck && unit.Func >= 0 {
		switch in := &m.Program.Funcs[unit.Func].Code[s.pc[u]]; {
		case in.Op == ir.OpCheck && in.Check == ir.CheckWritten:
			set(s.reg(u), in.A, 0)
			fallthrough
		case in.Op == ir.OpAssert:
			s.status[u] = Ready
			s.pc[u]++
			m.run(s, u)
			m.advance(s)
		}
	}
	return true
}

// PassTo has an execution go on until what is wrong with it is of a kind, and at an instruction of some unit's code.
func PassTo(m *Machine, s *State, kind Kind, pc int) {
	for v := &s.Violation; v.Kind != NoViolation && (v.Kind != kind || v.PC != pc) && m.Pass(s); {
	}
}
