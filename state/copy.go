package state

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// An asynchronous copy is a unit of execution of its own. OpenCL has it made by
// the work-items of the group, without saying which of them copies what or when:
// so it comes after what happens before the call in all of them, in no order with
// what they do until they have waited for it, and before what they do then (rule
// 11.7). A copy that has been waited for leaves its place to the next one.

// sameArgs reports whether units u and t pass the same to a copy or wait, as all must (rule 11.7).
func (m *Machine) sameArgs(s *State, u, t memmodel.Unit, mine, theirs *ir.Instr) bool {
	same := len(mine.Args) == len(theirs.Args)
	for i := 0; same && i < len(mine.Args); i++ {
		same = m.operandOf(s, u, mine.Args[i]) == m.operandOf(s, t, theirs.Args[i])
	}
	return same
}

// startCopy starts the copy at whose call the group has met, on its own or with the event
// of a copy before (rule 11.7). It returns false when the event that it should join is none.
func (m *Machine) startCopy(s *State, g *Group) bool {
	first := g.Units[0]
	in := m.at(s, first)
	var args [ir.CopyArgs]int64
	for i, a := range in.Args {
		args[i] = m.operandOf(s, first, a)
	}
	event := &args[ir.CopyArgs-1]
	if *event != 0 && !m.underway(s, g, *event) {
		s.fail(first, int(s.pc[first]), InvalidArgument)
		return false
	}
	if *event == 0 {
		for *event = 1; m.underway(s, g, *event); {
			*event++
		}
	}
	for _, t := range g.Units {
		set(s.reg(t), m.at(s, t).Dst, *event)
	}
	c := m.copier(s, g)
	unit := &s.Cast.Units[c]
	copy(s.reg(c)[m.Program.Funcs[unit.Func].Copies:], args[:])
	s.status[c], s.pc[c] = Ready, in.Target
	s.Mem.Start(c, s.Cast.Groups[unit.Group].Units)
	m.run(s, c)
	return true
}

// copier returns a unit of the group that makes no copy now. The cast may become
// another one, with one more.
func (m *Machine) copier(s *State, g *Group) memmodel.Unit {
	for _, c := range g.copies {
		if s.status[c] == Ended {
			return c
		}
	}
	first, n := &s.Cast.Units[g.Units[0]], len(g.copies)+1
	path := extend(first.path, stepCopy, n)
	c := Role{Name: fmt.Sprintf("copy %d of group %d", n, first.Place.Group), ID: identify(path), path: path,
		Func: first.Func, Place: first.Place, Item: first.Item, Copy: n} // of the code that comes to it only with these ids
	c.Place.Sub = memmodel.NoSub
	m.recast(s, append(slices.Clone(s.Cast.Units), c))
	return s.Cast.index[c.ID]
}

// underway reports whether the event is that of a copy of the group that has not
// been waited for.
func (m *Machine) underway(s *State, g *Group, event int64) bool {
	return slices.ContainsFunc(g.copies, func(c memmodel.Unit) bool { return s.status[c] != Ended && m.event(s, c) == event })
}

// event returns the event of a copy that has not been waited for.
func (m *Machine) event(s *State, c memmodel.Unit) int64 {
	return s.reg(c)[m.Program.Funcs[s.Cast.Units[c].Func].Copies+ir.CopyArgs-1]
}

// copied is called when copy c is complete, and lets its group go on if that
// waits for nothing else.
func (m *Machine) copied(s *State, c memmodel.Unit, pc int32, in *ir.Instr) {
	event := m.operandOf(s, c, in.A)
	clear(s.reg(c))
	s.reg(c)[m.Program.Funcs[s.Cast.Units[c].Func].Copies+ir.CopyArgs-1] = event
	s.pc[c], s.status[c] = pc, Copied
	s.Mem.End(c)
	g := &s.Cast.Groups[s.Cast.Units[c].Group]
	first := g.Units[0]
	in = m.at(s, first)
	if in.Op != ir.OpWaitCopies {
		return
	}
	for _, t := range g.Units {
		if !m.meets(s, first, t, in) {
			return
		}
	}
	if m.awaitCopies(s, g) {
		m.depart(s, g)
	}
}

// awaitCopies lets a group that has met at wait_group_events see what the copies
// have done (rule 11.7). It returns false when one is not complete yet, or an event is none.
func (m *Machine) awaitCopies(s *State, g *Group) bool {
	first := g.Units[0]
	in := m.at(s, first)
	for _, a := range in.Args {
		event := m.operandOf(s, first, a)
		if !m.underway(s, g, event) {
			s.fail(first, int(s.pc[first]), InvalidArgument)
			return false
		}
		for _, c := range g.copies {
			if s.status[c] == Ready && m.event(s, c) == event {
				return false
			}
		}
	}
	for _, c := range g.copies {
		if s.status[c] == Copied && slices.ContainsFunc(in.Args, func(a int32) bool { return m.operandOf(s, first, a) == m.event(s, c) }) {
			s.Mem.Await(g.Units, c)
			s.status[c] = Ended
			clear(s.reg(c))
		}
	}
	return true
}

// checkCopies reports a copy that nobody has waited for (rule 11.7), when work-item u has
// ended as the last of its group.
func (s *State) checkCopies(u memmodel.Unit) {
	g := &s.Cast.Groups[s.Cast.Units[u].Group]
	at := slices.IndexFunc(g.copies, func(c memmodel.Unit) bool { return s.status[c] != Ended })
	if at < 0 || slices.ContainsFunc(g.Units, func(t memmodel.Unit) bool { return s.status[t] != Ended }) {
		return
	}
	if s.Violation.Kind == NoViolation {
		s.fail(u, int(s.pc[u]), UnwaitedCopy)
		s.Violation.Missing = g.copies[at]
	}
}
