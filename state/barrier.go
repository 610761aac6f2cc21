package state

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// arrive makes unit u wait at a barrier or collective, and lets its group go on
// when all of it waits there (rules 11.1 to 11.6).
func (m *Machine) arrive(s *State, u memmodel.Unit, in *ir.Instr) {
	if in.Op == ir.OpBarrier {
		s.Mem.Arrive(u, in.Flags, in.Scope, m.publishes(s, u, in))
	}
	s.status[u] = AtBarrier
	g := s.group(u, in)
	if m.between(s, u, g, in) {
		return
	}
	all := true
	for _, t := range g.Units {
		if m.meets(s, u, t, in) {
			continue
		}
		all = false
		if s.status[t] == Ended || s.status[t] == AtBarrier && m.needs(s, t, u) {
			s.diverge(u, t)
		}
	}
	if !all {
		return
	}
	first := s.Cast.Units[g.Units[0]].ID
	switch in.Op {
	case ir.OpBarrier:
		s.Mem.Depart(g.Units, in.Flags, in.Scope)
	case ir.OpCollective:
		all = m.collect(s, g, in)
	case ir.OpAsyncCopy:
		all = m.startCopy(s, g)
	case ir.OpWaitCopies:
		all = m.awaitCopies(s, g)
	}
	if all {
		m.depart(s, s.group(s.Cast.index[first], in)) // the cast may be another
	}
}

// publishes reports whether unit u, which has come to a barrier, may still write something atomically through which others come to know
// what came before a fence of its own: in memory that the barrier orders. Who accesses local memory is of the work-group, and so
// knows that from a barrier of it.
func (m *Machine) publishes(s *State, u memmodel.Unit, barrier *ir.Instr) bool {
	if !m.Traits.Fences {
		return false
	}
	unit := &s.Cast.Units[u]
	code := m.Program.Funcs[unit.Func].Code
	for pc := range m.Onward[unit.Func][facts.Ever][s.pc[u]].Accesses.All() {
		in := &code[pc]
		if in.Op != ir.OpLoad && in.Order != memmodel.NonAtomic && (unit.spans == nil || unit.spans[pc] != ir.Nothing) && (barrier.SubGroup || m.carries(unit.Func, in, barrier.Flags)) {
			return true
		}
	}
	return false
}

// carries reports whether an access may be of memory through which a work-group barrier with these flags tells others what its work-group
// does not know in any case.
func (m *Machine) carries(fn int, in *ir.Instr, flags memmodel.Flags) bool {
	objects, _, _ := m.Points[fn].Address(in)
	for i := range m.Program.Objects {
		if objects.Has(i) && m.Program.Objects[i].Region != memmodel.Local && flags&memmodel.GlobalFence != 0 {
			return true
		}
	}
	return false
}

// between reports whether unit u, which has arrived, stands between one that waits there as well and one that
// does not, so that it waits as the former does. Nobody needs to look at the others: the former has found, when
// it arrived, that nobody of the group has ended or waits elsewhere, and so has whoever arrived after it.
// Units that arrive in their order so take no time that is quadratic in how many they are.
func (m *Machine) between(s *State, u memmodel.Unit, g *Group, in *ir.Instr) bool {
	i, _ := slices.BinarySearch(g.Units, u)
	if s.Violation.Kind != NoViolation || i == 0 || i == len(g.Units)-1 {
		return false
	}
	t, next := g.Units[i-1], g.Units[i+1]
	if m.Parts && s.Cast.Units[t].Sub != s.Cast.Units[u].Sub { // some of u's sub-group may wait for it alone
		return false
	}
	return m.meets(s, u, t, in) && !m.meets(s, u, next, in)
}

// depart lets a group go on after a meeting.
func (m *Machine) depart(s *State, g *Group) {
	for _, t := range g.Units {
		if r := m.at(s, t).Rounds; r != nil {
			r.Clear(s.reg(t))
		}
		s.status[t] = Ready
		s.pc[t]++
	}
	for _, t := range g.Units {
		m.run(s, t)
	}
}

// group returns those who must meet at a barrier or collective of unit u: its sub-group or its work-group (rule 11.5).
func (s *State) group(u memmodel.Unit, in *ir.Instr) *Group {
	if in.SubGroup {
		return &s.Cast.Groups[s.Cast.Units[u].Sub]
	}
	return &s.Cast.Groups[s.Cast.Units[u].Group]
}

// meets reports whether unit t waits at the same barrier or collective as unit
// u: the same call in the same iteration, with the arguments equal that must be
// (rules 4.5, 11.6).
func (m *Machine) meets(s *State, u, t memmodel.Unit, in *ir.Instr) bool {
	if s.status[t] != AtBarrier {
		return false
	}
	q := m.at(s, t)
	// Names, not indexes: a litmus test's threads are functions of their own.
	if m.Program.Strings[q.Str] != m.Program.Strings[in.Str] || !s.abreast(u, t, in.Counts(), q.Counts()) || q.Op != in.Op || q.SubGroup != in.SubGroup {
		return false
	}
	if in.Op == ir.OpBarrier {
		return q.Flags == in.Flags && q.Scope == in.Scope
	}
	return m.agree(s, u, t, in, q)
}

// abreast reports whether units u and t are in the same iteration of all loops
// around the call that they wait at, given the registers that count them: outermost
// first, so that the loops are the same as far as the rounds are.
func (s *State) abreast(u, t memmodel.Unit, mine, theirs []int32) bool {
	if len(mine) != len(theirs) {
		return false
	}
	for i := range mine {
		if s.reg(u)[mine[i]] != s.reg(t)[theirs[i]] {
			return false
		}
	}
	return true
}

// alone reports whether unit u is all of its work-group, so that its rounds do not
// matter. A cast without groups is one unit of which that is not known.
func (c *Cast) alone(u memmodel.Unit) bool {
	g := c.Units[u].Group
	return g >= 0 && g < len(c.Groups) && len(c.Groups[g].Units) == 1
}

// diverge reports that unit `waiting` waits for unit `missing` in vain.
func (s *State) diverge(waiting, missing memmodel.Unit) {
	if s.Violation.Kind == NoViolation {
		s.fail(waiting, int(s.pc[waiting]), BarrierDivergence)
		s.Violation.Waiting, s.Violation.Missing = waiting, missing
	}
}

// end is called when unit u's code ends.
func (m *Machine) end(s *State, u memmodel.Unit, pc int32) {
	s.pc[u] = pc
	s.status[u] = Ended
	if m.Traits.Promises && s.Mem.Promises(u) > 0 {
		s.Abandoned = true // it can keep them no more
		return
	}
	if s.solo {
		return
	}
	clear(s.reg(u))
	unit := &s.Cast.Units[u]
	if m.Concurrent && unit.thread() {
		s.due = true // what only it did not know of can be forgotten
	}
	if unit.Group >= 0 {
		m.miss(s, u)
		s.checkCopies(u)
	}
	if unit.command >= 0 {
		m.leave(s, u)
	}
	s.Mem.End(u)
}

// miss finds who waits in vain for unit u, a work-item that has ended.
func (m *Machine) miss(s *State, u memmodel.Unit) {
	for _, t := range s.Cast.Groups[s.Cast.Units[u].Group].Units {
		if s.status[t] == AtBarrier && m.needs(s, t, u) {
			s.diverge(t, u)
		}
	}
}

// needs reports whether the barrier or collective that unit t waits at is one
// that unit u of the same work-group must reach.
func (m *Machine) needs(s *State, t, u memmodel.Unit) bool {
	unit := &s.Cast.Units[t]
	in := &m.Program.Funcs[unit.Func].Code[s.pc[t]]
	return !in.SubGroup || unit.Sub == s.Cast.Units[u].Sub
}
