package state

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// agree reports whether units u and t, at the same call of a collective, have
// the same of what must be: the function, and who broadcasts (rule 11.6), or the arguments
// of an asynchronous copy or wait (rule 11.7).
func (m *Machine) agree(s *State, u, t memmodel.Unit, mine, theirs *ir.Instr) bool {
	if mine.Op != ir.OpCollective {
		return m.sameArgs(s, u, t, mine, theirs)
	}
	if mine.Group != theirs.Group || mine.Alu != theirs.Alu || mine.Type != theirs.Type {
		return false
	}
	return mine.Group != ir.GroupBroadcast || m.operandOf(s, u, mine.C) == m.operandOf(s, t, theirs.C)
}

// operandOf returns the value of an operand in unit u's code.
func (m *Machine) operandOf(s *State, u memmodel.Unit, o int32) int64 {
	return operand(m.Program.Funcs[s.Cast.Units[u].Func], s.reg(u), o)
}

// collect gives each unit of the group, all of which wait at one collective, its
// result. Nothing else passes between them: memory is not touched, and no unit
// learns what another has seen (rule 11.6). It returns false when they cannot
// go on, but wait for ever.
func (m *Machine) collect(s *State, g *Group, in *ir.Instr) bool {
	if in.Group == ir.GroupBroadcast {
		from := m.operandOf(s, g.Units[0], m.at(s, g.Units[0]).C)
		if from < 0 || from >= int64(len(g.Units)) {
			u := g.Units[len(g.Units)-1]
			s.fail(u, int(s.pc[u]), InvalidArgument)
			return false
		}
		sender := g.Units[from]
		v := m.operandOf(s, sender, m.at(s, sender).B)
		for _, t := range g.Units {
			set(s.reg(t), m.at(s, t).Dst, v)
		}
		return true
	}
	if in.Group == ir.GroupShuffle {
		m.shuffle(s, g)
		return true
	}
	sum, _ := ir.Identity(in.Alu, in.Type)
	for _, t := range g.Units {
		q, regs := m.at(s, t), s.reg(t)
		before := sum
		sum, _ = ir.Eval(in.Alu, in.Type, sum, m.operandOf(s, t, q.B))
		if in.Group == ir.GroupScanExclusive {
			set(regs, q.Dst, before)
		} else {
			set(regs, q.Dst, sum)
		}
	}
	if in.Group == ir.GroupReduce {
		for _, t := range g.Units {
			set(s.reg(t), m.at(s, t).Dst, sum)
		}
	}
	return true
}

// shuffle gives each unit of the group the value of the one that it names. What it gets of one that there is not, is
// left open, and here 0.
func (m *Machine) shuffle(s *State, g *Group) {
	given := make([]int64, len(g.Units))
	for i, t := range g.Units {
		given[i] = m.operandOf(s, t, m.at(s, t).B)
	}
	for _, t := range g.Units {
		v := int64(0)
		if from := m.operandOf(s, t, m.at(s, t).C); from >= 0 && from < int64(len(given)) {
			v = given[from]
		}
		set(s.reg(t), m.at(s, t).Dst, v)
	}
}

// at returns the instruction that unit u is at.
func (m *Machine) at(s *State, u memmodel.Unit) *ir.Instr {
	return &m.Program.Funcs[s.Cast.Units[u].Func].Code[s.pc[u]]
}
