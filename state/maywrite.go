package state

import "github.com/clmc/clmc/state/ir"

// mayWrite tells which objects the code of a function may still write
// atomically, or non-atomically, from each point on.
type mayWrite struct {
	// all[pc] counts everything reachable from pc; before[pc] only what is
	// reachable without passing a barrier or collective of the work-group.
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
				if !in.Op.Meets() || in.SubGroup {
					changed = w.before[pc].Union(w.before[next]) || changed
				}
			}
		}
	}
	return w
}

// inheritWrites adds to what a function may write, from an enqueue on, what
// the kernel may write that it enqueues, which may start at any time.
func (m *Machine) inheritWrites() {
	for changed := m.enqueues; changed; {
		changed = false
		for fn, f := range m.Program.Funcs {
			w := &m.writes[fn]
			for pc := len(f.Code) - 1; pc >= 0; pc-- {
				in := &f.Code[pc]
				if in.Op.Starts() {
					changed = w.all[pc].Union(m.writes[in.Target].all[0]) || changed
					changed = w.before[pc].Union(m.writes[in.Target].all[0]) || changed
				}
				for _, next := range in.Successors(pc) {
					changed = w.all[pc].Union(w.all[next]) || changed
					if !in.Op.Meets() || in.SubGroup {
						changed = w.before[pc].Union(w.before[next]) || changed
					}
				}
			}
		}
	}
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
			if s.status[u] == Pending && unit.cmd.Kind == KernelCommand && m.writes[unit.cmd.Func].all[0].Has(object) && !s.awaits(u, t) {
				return true
			}
			continue
		}
		same := group >= 0 && unit.Group == group
		switch s.status[u] {
		case Ended, Stuck, Copied:
			continue
		case AtBarrier:
			if same && !m.atSubGroupBarrier(s, u) {
				continue // cannot pass without t
			}
		case Finishing:
			if s.awaitsReturn(u, t) {
				continue
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

// awaits reports whether the pending command c cannot start while work-item t
// stands still.
func (s *State) awaits(c, t int) bool {
	item, cmd := &s.Cast.Units[t], s.Cast.Units[c].cmd
	if item.command < 0 {
		return false
	}
	if by, ok := s.Cast.index[cmd.Parent]; ok && s.Cast.Units[by].command == item.command {
		if cmd.Flags == ir.WaitKernel || cmd.Late || cmd.Flags == ir.WaitWorkGroup && s.Cast.Units[by].Group == item.Group {
			return true
		}
	}
	for _, list := range [...][]uint64{cmd.Events, cmd.After} {
		for _, id := range list {
			p, ok := s.Cast.index[id]
			if ok && (s.Cast.within(t, p) || s.status[p] == Pending && s.awaits(p, t)) {
				return true
			}
		}
	}
	return false
}

// awaitsReturn reports whether unit u, which waits in clFinish, waits for
// work-item t.
func (s *State) awaitsReturn(u, t int) bool {
	for c := range s.Cast.Units {
		if s.Cast.enqueued(c, u) && s.Cast.within(t, c) {
			return true
		}
	}
	return false
}

// within reports whether unit t is a work-item of command c or of a descendant.
func (c *Cast) within(t, command int) bool {
	for at := c.Units[t].command; at >= 0; {
		if at == command {
			return true
		}
		by, ok := c.index[c.Units[at].cmd.Parent]
		if !ok {
			return false
		}
		at = c.Units[by].command
	}
	return false
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
	if c.Promise > 1 {
		return m.offers(s, u)[c.Promise-2].loc
	}
	if !in.Op.Access() || in.Op == ir.OpLoad || c.Fail {
		return -1
	}
	x := s.Cast.resolve(unit, operand(f, s.reg(u), in.A))
	if x < 0 || !s.Cast.Layout.Locs[x].Atomic {
		return -1
	}
	return x
}
