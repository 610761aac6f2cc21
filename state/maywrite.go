package state

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// future is what a unit may still do from a point of its code on.
type future struct {
	memmodel.Future
	ahead    *facts.Ahead
	promised facts.Set // with promises: the locations of the writes that may be promised
	looks    facts.Set // and those of the reads that may see a promise
	// By class of commuting read-modify-writes: the locations that are accessed
	// in another way, too.
	apart [facts.NumClasses][]uint64
}

// future returns what unit u may do from its present point on, with what the
// kernels may do that it may enqueue, and a command with what it may run.
func (m *Machine) future(s *State, u int, e facts.Extent) *future {
	c := s.Cast
	unit := &c.Units[u]
	pc := s.pc[u]
	if unit.Func < 0 {
		pc, e = 0, facts.Ever
	}
	slot := &c.futures[u][pc][e]
	if f := slot.Load(); f != nil {
		return f
	}
	f := &future{Future: memmodel.NewFuture(len(c.cells))}
	if m.Traits.Promises {
		f.promised, f.looks = make(facts.Set, len(f.Access)), make(facts.Set, len(f.Access))
	}
	f.Tells, f.Acquires = true, true
	for k := range f.apart {
		if m.Commuting {
			f.apart[k] = make([]uint64, len(f.Access))
		}
	}
	switch {
	case unit.Func >= 0:
		f.ahead = &m.Onward[unit.Func][e][pc]
		f.Tells, f.Acquires = f.ahead.Tells, f.ahead.Acquires != 0
		m.foresee(c, unit, f)
		for fn := range m.Children {
			if f.ahead.Kernels.Has(fn) {
				m.foreseeKernel(c, fn, f)
			}
		}
	case unit.cmd.pending():
		m.foreseeKernel(c, unit.cmd.Func, f)
		fallthrough
	case unit.cmd.Kind == originCommand:
		for _, fn := range m.Children[unit.cmd.Func].Funcs {
			m.foreseeKernel(c, fn, f)
		}
	}
	slot.Store(f)
	return f
}

// foreseeKernel adds what work-items of a kernel may do, whoever they will be.
func (m *Machine) foreseeKernel(c *Cast, fn int, f *future) {
	old := f.ahead
	f.ahead = &m.Onward[fn][facts.Ever][0]
	for device := range max(len(c.copies), 1) {
		m.foresee(c, &Unit{Func: fn, Group: -1, Place: memmodel.Place{Device: uint16(device)}}, f)
	}
	f.ahead = old
}

// foresee adds the accesses of a unit that lie ahead.
func (m *Machine) foresee(c *Cast, unit *Unit, f *future) {
	code := m.Program.Funcs[unit.Func].Code
	for pc := range code {
		if f.ahead.Accesses.Has(pc) {
			m.eachLocation(c, unit, pc, func(x int) {
				f.add(&code[pc], m.Plans[unit.Func][pc].Class, x)
				if f.promised != nil && m.promises.Writes[unit.Func][pc] {
					f.promised.Add(x)
				}
				if f.looks != nil && m.promises.Looks[unit.Func][pc] {
					f.looks.Add(x)
				}
			})
		}
	}
}

func (f *future) add(in *ir.Instr, c facts.Class, x int) {
	word, bit := x>>6, uint64(1)<<(x&63)
	f.Access[word] |= bit
	for k, set := range f.apart {
		if set != nil && facts.Class(k) != c {
			set[word] |= bit
		}
	}
	switch in.Op {
	case ir.OpLoad:
		f.Peek[word] |= bit
	case ir.OpMapCell: // may store what it has seen
		f.Peek[word] |= bit
		f.Store[word] |= bit
	case ir.OpStore:
		f.Store[word] |= bit
	case ir.OpCmpXchg:
		f.Peek[word] |= bit
		f.Modify[word] |= bit
	case ir.OpRMW:
		f.Modify[word] |= bit
	}
}

// Future returns what unit u may still do, or nil if that is nothing. What a
// command may do that has started, its work-items do.
func (m *Machine) Future(s *State, u int) *memmodel.Future {
	if unit := &s.Cast.Units[u]; unit.Func < 0 {
		if !unit.cmd.pending() && unit.cmd.Kind != originCommand {
			return nil
		}
	} else if s.idle(u) {
		return nil
	}
	return &m.future(s, u, facts.Ever).Future
}

// meanwhile returns what unit u may do while unit t stands still at its next
// operation, or nil if that is nothing.
func (m *Machine) meanwhile(s *State, t, u int) *future {
	if u == t || m.waitsFor(s, u, t) {
		return nil
	}
	if group := s.Cast.Units[t].Group; group < 0 || s.Cast.Units[u].Group != group {
		return m.future(s, u, facts.Ever)
	}
	if s.status[u] == AtBarrier && !m.atSubGroupBarrier(s, u) {
		return nil // cannot pass without t
	}
	return m.future(s, u, facts.Near)
}

// waitsFor reports whether unit u does nothing any more, or nothing before unit t
// has ended.
func (m *Machine) waitsFor(s *State, u, t int) bool {
	unit := &s.Cast.Units[u]
	switch {
	case unit.Func < 0:
		return s.status[u] != Pending || !unit.cmd.pending() || s.awaits(u, t)
	case s.status[u] == Finishing:
		return m.awaitsReturn(s, u, t)
	}
	return s.idle(u)
}

// MayBeWritten reports whether a unit other than t may write location x while
// t stands still at its next operation; or read it, if that makes a difference to
// the reader.
func (m *Machine) MayBeWritten(s *State, t, x int) bool {
	if m.hidden(s.Cast, x) {
		return true
	}
	read := uint64(0)
	if m.Traits.Interleaved && m.Modifying(s, t) {
		read = ^read
	}
	writes := func(f *future) bool {
		return f != nil && (f.Store[x>>6]|f.Modify[x>>6]|f.Access[x>>6]&read)&(1<<(x&63)) != 0
	}
	for u := range s.Cast.Units {
		if u != t && writes(m.future(s, u, facts.Ever)) && writes(m.meanwhile(s, t, u)) {
			return true
		}
	}
	return false
}

// hidden reports whether location x is none of the program's: a queue, what is
// mapped of an object, or the status of a command.
func (m *Machine) hidden(c *Cast, x int) bool {
	return c.cells[x].fn == statusCell || x >= m.Turns && x < len(m.Shared)
}

// idle reports whether unit u, which is not a command, does nothing any more.
func (s *State) idle(u int) bool {
	return s.status[u] == Ended || s.status[u] == Stuck || s.status[u] == Copied
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

// awaitsReturn reports whether unit u, which waits for commands, waits for
// work-item t.
func (m *Machine) awaitsReturn(s *State, u, t int) bool {
	for c := s.Cast.Units[t].command; c >= 0; c = s.Cast.above(c) {
		if m.awaiting(s, u, c) {
			return true
		}
	}
	return false
}

// within reports whether unit t is a work-item of command c or of a descendant.
func (c *Cast) within(t, command int) bool {
	for at := c.Units[t].command; at >= 0; at = c.above(at) {
		if at == command {
			return true
		}
	}
	return false
}

// above returns the command one of whose work-items has enqueued a command, or -1.
func (c *Cast) above(command int) int {
	if by, ok := c.parent(command); ok {
		return c.Units[by].command
	}
	return -1
}

func (m *Machine) atSubGroupBarrier(s *State, u int) bool {
	return m.Program.Funcs[s.Cast.Units[u].Func].Code[s.pc[u]].SubGroup
}

// Target returns the atomic location that unit u's next operation, with that
// outcome, writes, or -1.
func (m *Machine) Target(s *State, u int, c Choice) int {
	unit := &s.Cast.Units[u]
	if unit.Func < 0 {
		return statusOf(unit)
	}
	f := m.Program.Funcs[unit.Func]
	in := &f.Code[s.pc[u]]
	switch {
	case c.Promise > 1:
		return m.offered(s, u).writes[c.Promise-2].loc
	case m.Threaded && (in.Op.Queued() || in.Op == ir.OpFinish):
		return m.turn(f, s.reg(u), in)
	case in.Op == ir.OpMap, in.Op == ir.OpUnmap:
		return m.regionOf(s, u, in)
	case in.Op == ir.OpMapCell && c.Fail:
		return m.undoes(s, u)
	case in.Op == ir.OpSetEvent && m.Polls:
		if e, ok := s.Cast.index[uint64(operand(f, s.reg(u), in.A))]; ok {
			return statusOf(&s.Cast.Units[e])
		}
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
