package state

import "github.com/clmc/clmc/state/ir"

// mayWrite tells which objects the code of a function may still write
// atomically, or non-atomically, from each point on.
type mayWrite struct {
	// all[pc] counts everything reachable from pc; before[pc] only what is
	// reachable without passing a work-group barrier.
	all, before []ir.ObjectSet
}

func (m *Machine) mayWrites(fn int) mayWrite {
	f := m.Program.Funcs[fn]
	words := (len(m.Program.Objects) + 63) / 64
	w := mayWrite{make([]ir.ObjectSet, len(f.Code)), make([]ir.ObjectSet, len(f.Code))}
	for pc := range f.Code {
		w.all[pc], w.before[pc] = make(ir.ObjectSet, words), make(ir.ObjectSet, words)
		if in := &f.Code[pc]; in.Op.Access() && in.Op != ir.OpLoad {
			objects, _, _ := m.points[fn].Address(in)
			w.all[pc].Union(objects)
			w.before[pc].Union(objects)
		}
	}
	for changed := true; changed; {
		changed = false
		for pc := len(f.Code) - 1; pc >= 0; pc-- {
			in := &f.Code[pc]
			for _, next := range in.Successors(pc) {
				changed = w.all[pc].Union(w.all[next]) || changed
				if in.Op != ir.OpBarrier || in.SubGroup {
					changed = w.before[pc].Union(w.before[next]) || changed
				}
			}
		}
	}
	return w
}

// MayBeWritten reports whether a unit other than t may write location x while
// t stands still at its next operation.
func (m *Machine) MayBeWritten(s *State, t, x int) bool {
	object := m.objectAt(s.Cast, x)
	group := s.Cast.Units[t].Group
	for u := range s.Cast.Units {
		unit := &s.Cast.Units[u]
		if u == t {
			continue
		}
		if unit.Func < 0 {
			if group < 0 && s.status[u] == Pending && m.writes[m.kernel(s.Cast, u)].all[0].Has(object) {
				return true
			}
			continue
		}
		same := group >= 0 && unit.Group == group
		switch s.status[u] {
		case Ended, Stuck:
			continue
		case AtBarrier:
			if same && !m.atSubGroupBarrier(s, u) {
				continue // cannot pass without t
			}
		case Finishing:
			if group >= 0 {
				continue // waits for t's kernel-instance
			}
		}
		w := &m.writes[unit.Func]
		set := w.all[s.pc[u]]
		if same {
			set = w.before[s.pc[u]]
		}
		if set.Has(object) {
			return true
		}
	}
	return false
}

// kernel returns the function that command c executes.
func (m *Machine) kernel(c *Cast, command int) int {
	cmd := &c.Units[command]
	return int(m.Program.Funcs[c.Units[cmd.host].Func].Code[cmd.pc].Target)
}

func (m *Machine) atSubGroupBarrier(s *State, u int) bool {
	return m.Program.Funcs[s.Cast.Units[u].Func].Code[s.pc[u]].SubGroup
}

// objectAt returns the object that a location belongs to.
func (m *Machine) objectAt(c *Cast, x int) int {
	cl := c.cells[x]
	for i := range m.Program.Objects {
		o := &m.Program.Objects[i]
		if (o.Func < 0) == (cl.fn < 0) && (cl.fn < 0 || o.Func == cl.fn) &&
			cl.addr >= o.Base && cl.addr < o.Base+int32(o.Layout.Cells()) {
			return i
		}
	}
	return -1
}

// Target returns the atomic location that unit u's next operation, with that
// outcome, writes, or -1.
func (m *Machine) Target(s *State, u int, c Choice) int {
	unit := &s.Cast.Units[u]
	f := m.Program.Funcs[unit.Func]
	in := &f.Code[s.pc[u]]
	if !in.Op.Access() || in.Op == ir.OpLoad || c.Fail {
		return -1
	}
	x := s.Cast.resolve(unit, operand(f, s.reg(u), in.A))
	if x < 0 || !s.Cast.Layout.Locs[x].Atomic {
		return -1
	}
	return x
}
