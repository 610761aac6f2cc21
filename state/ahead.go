package state

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Ahead is what a unit may still do from a point of its code on.
type Ahead struct {
	memmodel.Future
	Onward       *facts.Ahead // what the code may still do from here on
	Promisable   facts.Set    // with promises: the locations of the writes that may be promised
	ValueMatters facts.Set    // and those of the reads to which a promise would make a difference
	Matters      facts.Set    // and those of which it matters, to what the unit can do alone, what is there
	// By class of commuting read-modify-writes: the locations that are accessed
	// in another way, too.
	Others [ir.NumClasses][]uint64
	// Written has, by location, what may be written there; nil where no compare-exchange may ask.
	Written []ir.Span
	tests   []test // the loads that need not tell all values apart
}

// test is a load, or a compare-exchange that fails, that may be a round of waiting, or do the same with several values: of a
// location, at a point of the code.
type test struct {
	loc    memmodel.Loc // what is tested
	fn, pc int          // where: a function and an instruction
	learns bool         // it acquires what it reads, or a fence that comes may
}

// overlooks is Future.Overlooks.
func (f *Ahead) overlooks(m *Machine, x memmodel.Loc, v, w int64, tells, more, waits bool) bool {
	for _, t := range f.tests {
		if t.loc == x && m.Loads(t.fn, t.pc, v) && (more && t.learns || !m.Equivalent(t.fn, t.pc, v, w)) && (!waits || tells && t.learns || !m.Awaits(t.fn, t.pc, v)) {
			return false
		}
	}
	return true
}

// Ahead returns what unit u may do from its present point on, with what the
// kernels may do that it may enqueue, and a command with what it may run.
func (m *Machine) Ahead(s *State, u memmodel.Unit, e facts.Extent) *Ahead {
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
	f := &Ahead{Future: memmodel.NewFuture(len(c.cells))}
	if m.Traits.Promises {
		f.Promisable, f.ValueMatters, f.Matters = make(facts.Set, len(f.Access)), make(facts.Set, len(f.Access)), make(facts.Set, len(f.Access))
	}
	if m.Vain {
		f.Written = slices.Repeat([]ir.Span{ir.Nothing}, len(c.cells))
	}
	f.Tells, f.Acquires = true, true
	for k := range f.Others {
		if m.Commuting {
			f.Others[k] = make([]uint64, len(f.Access))
		}
	}
	switch {
	case unit.Func >= 0:
		f.Onward = &m.Onward[unit.Func][e][pc]
		f.Tells, f.Acquires = f.Onward.Tells, f.Onward.Acquires != 0
		m.foresee(c, unit, f, func(in *ir.Instr, x memmodel.Loc) bool { return m.odd(c, u, in, x) })
		for fn := range m.Children {
			if f.Onward.Kernels.Has(fn) {
				m.foreseeKernel(c, u, fn, f)
			}
		}
		if e == facts.Ever && unit.Group >= 0 {
			m.putOff(s, u, f)
		}
	case unit.cmd.pending():
		m.foreseeKernel(c, u, unit.cmd.Func, f)
		fallthrough
	case unit.cmd.Kind == originCommand:
		for _, fn := range m.Children[unit.cmd.Func].Funcs {
			m.foreseeKernel(c, u, fn, f)
		}
	}
	f.answer(m, c, unit, int(pc))
	if !m.Halted() { // else perhaps not all of it has been found
		slot.Store(f)
	}
	return f
}

// answer lets f answer what the canonical form asks of a unit that is at pc.
func (f *Ahead) answer(m *Machine, c *Cast, unit *Role, pc int) {
	f.Overlooks = func(x memmodel.Loc, v, w int64, tells, more, waits bool) bool {
		return f.overlooks(m, x, v, w, tells, more, waits)
	}
	if unit.Func < 0 {
		return
	}
	at := codePoint{m, c, unit, pc}
	f.Abstains = (&abstainer{codePoint: at}).abstains
	if m.Goes[unit.Func] {
		f.Waits = (&firsts{codePoint: at}).wait
	}
}

// putOff notes which locations unit u loads only behind a barrier of its work-group that orders their memory. Where it may
// enqueue a kernel nothing is said: that need not know what the unit knows.
func (m *Machine) putOff(s *State, u memmodel.Unit, f *Ahead) {
	if m.Traits.SeqCst || !m.Traits.Fences || slices.ContainsFunc(f.Onward.Kernels, func(w uint64) bool { return w != 0 }) {
		return
	}
	for x := range facts.Set(f.Peek).All() {
		var e facts.Extent
		switch c := s.Cast; c.Layout.Locs[x].Region {
		case memmodel.Local:
			e = facts.NearLocal
		case memmodel.Global:
			e = facts.NearGlobal
		default:
			continue
		}
		if word, bit := x>>6, uint64(1)<<(x&63); m.Ahead(s, u, e).Peek[word]&bit == 0 {
			f.Late[word] |= bit
		}
	}
}

// foreseeKernel adds what work-items of a kernel may do that unit u brings about, whoever they will be.
func (m *Machine) foreseeKernel(c *Cast, u memmodel.Unit, fn int, f *Ahead) {
	old := f.Onward
	odd := func(in *ir.Instr, x memmodel.Loc) bool { return m.oddOfKernel(c, u, fn, in, x) }
	f.Onward = &m.Onward[fn][facts.Ever][0]
	for device := range max(len(c.copies), 1) {
		m.foresee(c, &Role{Func: fn, Group: -1, Place: memmodel.Place{Device: uint16(device)}}, f, odd)
	}
	f.Onward = old
}

// foresee adds the accesses of a unit that lie ahead, some of which are odd.
func (m *Machine) foresee(c *Cast, unit *Role, f *Ahead, odd func(in *ir.Instr, x memmodel.Loc) bool) {
	if m.Halted() {
		return
	}
	code := m.Program.Funcs[unit.Func].Code
	for pc := range code {
		if f.Onward.Accesses.Has(pc) {
			m.eachLocation(c, unit, pc, func(x memmodel.Loc) {
				f.add(&code[pc], &m.Plans[unit.Func][pc], x)
				if odd(&code[pc], x) {
					f.Odd[x>>6] |= 1 << (x & 63)
				}
				if m.Plans[unit.Func][pc].Tests {
					f.tests = append(f.tests, test{x, unit.Func, pc, learns(&code[pc]) || f.Onward.Acquires != 0})
				}
				if f.Written != nil {
					f.Written[x] = f.Written[x].Join(unit.writes(&code[pc], pc))
				}
				if m.Traits.Promises {
					m.certifier.foresee(c, unit, pc, x, f)
				}
			})
		}
	}
}

// learns reports whether an access acquires what it loads.
func learns(in *ir.Instr) bool {
	if in.Op == ir.OpCmpXchg {
		return in.FailOrder.Acquires()
	}
	return in.Order.Acquires()
}

// writes returns what the unit may write by an access of its code.
func (u *Role) writes(in *ir.Instr, pc int) ir.Span {
	switch {
	case in.Op == ir.OpLoad:
		return ir.Nothing
	case u.written == nil:
		return ir.Anything
	}
	return u.written[pc]
}

func (f *Ahead) add(in *ir.Instr, p *facts.Plan, x memmodel.Loc) {
	word, bit := x>>6, uint64(1)<<(x&63)
	f.Access[word] |= bit
	for k, set := range f.Others {
		if set != nil && ir.Class(k) != p.Class {
			set[word] |= bit
		}
	}
	switch in.Op {
	case ir.OpLoad:
		f.Peek[word] |= bit
		if !p.Tests {
			f.Look[word] |= bit
		}
	case ir.OpMapCell: // may store what it has seen
		f.Peek[word] |= bit
		f.Look[word] |= bit
		f.Store[word] |= bit
	case ir.OpStore:
		f.Store[word] |= bit
		if p.Loops {
			f.Again[word] |= bit
		}
	case ir.OpCmpXchg:
		f.Peek[word] |= bit
		if !p.Tests {
			f.Look[word] |= bit
		}
		f.Modify[word] |= bit
	case ir.OpRMW:
		f.Modify[word] |= bit
	default: // anything
		f.Peek[word] |= bit
		f.Look[word] |= bit
		f.Store[word] |= bit
		f.Modify[word] |= bit
	}
}

// Future returns what unit u may still do, or nil if that is nothing. What a
// command may do that has started, its work-items do.
func (m *Machine) Future(s *State, u memmodel.Unit) *memmodel.Future {
	if unit := &s.Cast.Units[u]; unit.Func < 0 {
		if !unit.cmd.pending() && unit.cmd.Kind != originCommand {
			return nil
		}
	} else if s.Idle(u) {
		return nil
	}
	return &m.Ahead(s, u, facts.Ever).Future
}

// WaitsFor reports whether unit u does nothing any more, or nothing before unit t
// has ended.
func (m *Machine) WaitsFor(s *State, u, t memmodel.Unit) bool {
	unit := &s.Cast.Units[u]
	switch {
	case unit.Func < 0:
		return s.status[u] != Pending || !unit.cmd.pending() || s.awaits(u, t)
	case s.status[u] == Finishing:
		return m.awaitsReturn(s, u, t)
	}
	return s.Idle(u)
}

// Idle reports whether unit u, which is not a command, does nothing any more.
func (s *State) Idle(u memmodel.Unit) bool {
	return s.status[u] == Ended || s.status[u] == Stuck || s.status[u] == Copied
}

// awaits reports whether the pending command c cannot start while work-item t
// stands still.
func (s *State) awaits(c, t memmodel.Unit) bool {
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
func (m *Machine) awaitsReturn(s *State, u, t memmodel.Unit) bool {
	for c := s.Cast.Units[t].command; c >= 0; c = s.Cast.above(c) {
		if m.awaiting(s, u, c) {
			return true
		}
	}
	return false
}

// within reports whether unit t is a work-item of command c or of a descendant.
func (c *Cast) within(t, command memmodel.Unit) bool {
	for at := c.Units[t].command; at >= 0; at = c.above(at) {
		if at == command {
			return true
		}
	}
	return false
}

// above returns the command one of whose work-items has enqueued a command, or -1.
func (c *Cast) above(command memmodel.Unit) memmodel.Unit {
	if by, ok := c.parent(command); ok {
		return c.Units[by].command
	}
	return -1
}

// Target returns the atomic location that unit u's next operation, with that
// outcome, writes, or -1.
func (m *Machine) Target(s *State, u memmodel.Unit, c Choice) memmodel.Loc {
	unit := &s.Cast.Units[u]
	if unit.Func < 0 {
		return statusOf(unit)
	}
	f := m.Program.Funcs[unit.Func]
	in := &f.Code[s.pc[u]]
	switch {
	case c.Promise > 1:
		return m.certifier.certificationAnyway(s, u).writes[c.Promise-2].loc
	case m.Threaded && (in.Op.Queued() || in.Op == ir.OpFinish):
		return m.turn(f, s.reg(u), in)
	case in.Op == ir.OpMap, in.Op == ir.OpUnmap, in.Op == ir.OpFree:
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
