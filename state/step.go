package state

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Choice is one allowed outcome of a visible operation. Positions count from
// the newest message of the location, so that they mean the same whether or
// not old messages have been dropped.
type Choice struct {
	Back   uint16 // which message is read; where a store is inserted; the value of a Choose
	Broken uint8  // how many segments of the release sequence will be broken (rule 5.4)
	Fail   bool   // a compare-exchange fails
	// Promise says what the unit does about promises. 0: nothing. 1: by its
	// operation it keeps the promise made at place Back. From 2 on: it does not
	// perform its operation yet, but promises, at place Back, a write of the
	// list of those that it can come to. A reader of the promise names the same place.
	Promise uint8
}

// Choices appends the outcomes that unit u's next operation may have. There
// are none when the unit waits or has ended, or cannot do what it tries to.
func (m *Machine) Choices(s *State, u memmodel.Unit, out []Choice) []Choice {
	if s.status[u] != Ready {
		return out
	}
	unit := &s.Cast.Units[u]
	if unit.Func < 0 { // a command that chooses its status
		for i := range max(len(s.failures(u)), 1) {
			out = append(out, Choice{Back: uint16(i)})
		}
		return out
	}
	f := m.Program.Funcs[unit.Func]
	in := &f.Code[s.pc[u]]
	regs := s.reg(u)
	switch in.Op {
	case ir.OpEnqueueKernel, ir.OpEnqueueMarker:
		return m.enqueueChoices(s, u, f, in, out)
	case ir.OpEventStatus:
		return m.statusChoices(s, u, out)
	case ir.OpMapCell:
		return m.undoChoices(s, u, out)
	case ir.OpChoose:
		for i := range operand(f, regs, in.A) {
			out = append(out, Choice{Back: uint16(i)})
		}
		return out
	}
	if !in.Op.Access() {
		return append(out, Choice{})
	}
	x := s.Cast.resolve(unit, operand(f, regs, in.A))
	if x < 0 || in.Order == memmodel.NonAtomic || !s.Cast.Layout.Locs[x].Atomic {
		return append(out, Choice{})
	}
	return m.accessChoices(s, u, x, in, f, regs, out)
}

func (m *Machine) accessChoices(s *State, u memmodel.Unit, x memmodel.Loc, in *ir.Instr, f *ir.Func, regs []int64, out []Choice) []Choice {
	mem := &s.Mem
	if m.Traits.Promises && in.Op != ir.OpLoad && s.Mem.Promises(u) > 0 {
		out = m.fulfils(s, u, out)
	}
	if in.Op == ir.OpStore {
		for back := range mem.Writable(u, x) {
			if mem.Insertable(u, x, back) {
				out = append(out, Choice{Back: uint16(back)})
			}
		}
		return out
	}
	readable := mem.Readable(u, x)
	if mem.Blank(u, x) { // the violation is found when it is tried
		out = append(out, Choice{Back: uint16(readable)})
	}
	for back := range readable {
		cuts := mem.Cuts(u, x, back)
		for broken := range cuts {
			c := Choice{Back: uint16(back), Broken: uint8(broken)}
			hit := true
			if in.Op == ir.OpCmpXchg {
				hit = mem.Value(x, back) == operand(f, regs, in.B)
			}
			if in.Op != ir.OpLoad && hit && mem.Modifiable(x, back) || in.Op == ir.OpLoad {
				out = append(out, c)
			}
			if in.Op == ir.OpCmpXchg && (!hit || in.Weak) { // rule 10.3
				c.Fail = true
				out = append(out, c)
			}
		}
	}
	return out
}

// Do performs unit u's next operation with the given outcome, one of Choices,
// and the private computation after it. Violation and Abandoned of the state
// tell what came of it.
func (m *Machine) Do(s *State, u memmodel.Unit, c Choice) {
	m.Effort.add(s)
	if !m.Traits.Promises || s.solo {
		m.do(s, u, c)
		return
	}
	cast, owes, x, keeps := s.Cast, s.Mem.Promises(u) > 0, nowhere, false
	if c.Promise > 1 {
		x, keeps = m.certifier.make(s, u, c)
	} else {
		x = m.do(s, u, c)
	}
	if s.Abandoned {
		s.CertificationFailed = owes && !s.AssumptionFailed
		return
	}
	if s.Cast != cast || m.Traits.SeqCst {
		x = anywhere
	}
	m.certifier.after(s, u, x, keeps)
}

// Try does what Do does, but gives up private computation that is under way when the machine
// is halted: s is abandoned then.
func (m *Machine) Try(s *State, u memmodel.Unit, c Choice) {
	s.abortable = true
	m.Do(s, u, c)
	s.abortable = false
}

// Where a step makes a difference to what others can do alone, if that is no one location.
const (
	nowhere  memmodel.Loc = -1 - iota
	anywhere              // wherever they look, for all that is known
)

// do performs unit u's next operation, which is to come now, and returns where that makes a difference to what others can do alone.
func (m *Machine) do(s *State, u memmodel.Unit, c Choice) memmodel.Loc {
	unit := &s.Cast.Units[u]
	if unit.Func < 0 {
		m.complete(s, u, outcome(s.failures(u), int(c.Back)))
		m.advance(s)
		return anywhere
	}
	f := m.Program.Funcs[unit.Func]
	in := &f.Code[s.pc[u]]
	x := nowhere
	switch {
	case c.Promise == 1:
		x = m.keep(s, u, in, c)
	case m.Traits.Promises && m.barred(s, u, in, c):
		s.Abandoned = true
	case in.Op.Access():
		x = m.access(s, u, f, in, c)
	case in.Op == ir.OpFence:
		s.Abandoned = !s.Mem.Fence(u, in.Flags, in.Order, in.Scope)
	case in.Op.Meets():
		m.arrive(s, u, in)
		m.advance(s)
		return anywhere
	case in.Op == ir.OpChoose:
		set(s.reg(u), in.Dst, int64(c.Back))
	default:
		m.call(s, u, f, in, c)
		m.advance(s)
		return anywhere
	}
	if s.Abandoned || s.status[u] == Stuck {
		return x
	}
	s.pc[u]++
	m.run(s, u)
	m.advance(s)
	return x
}

// call performs what a function of the API or of a device's queue does to commands, events,
// mappings, memory and host threads, and lets unit u go on behind it unless it waits.
func (m *Machine) call(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr, c Choice) {
	switch {
	case in.Op.Queued():
		m.takeTurn(s, u, f, in)
		m.enqueueHost(s, u, f, in)
	case in.Op == ir.OpEventStatus:
		m.askStatus(s, u, f, in, c)
	case in.Op == ir.OpMapCell:
		m.mapCell(s, u, f, in, c)
	case in.Op == ir.OpMap, in.Op == ir.OpUnmap:
		m.remap(s, u, f, in)
	case in.Op == ir.OpFree:
		m.free(s, u, f, in)
	case in.Op == ir.OpCallback:
		m.register(s, u, f, in)
	case in.Op == ir.OpFinish:
		m.takeTurn(s, u, f, in)
		m.wait(s, u, f, in)
	case in.Op == ir.OpWaitEvents:
		m.wait(s, u, f, in)
	case in.Op == ir.OpGo:
		m.spawn(s, u, f, in)
	default:
		m.command(s, u, f, in, c)
	}
}

// access performs an access of shared memory, unless unit u cannot go on. It returns where that makes a difference
// to what others can do alone: a load makes none, but for what its unit relies on.
func (m *Machine) access(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr, c Choice) memmodel.Loc {
	regs := s.reg(u)
	mem := &s.Mem
	x := s.Cast.resolve(&s.Cast.Units[u], operand(f, regs, in.A))
	if !m.mayAccess(s, u, f, in, c, x) {
		return nowhere
	}
	pc := int(s.pc[u])
	ok := true
	m.attend(s, u, pc)
	switch in.Op {
	case ir.OpLoad:
		var v int64
		v, ok = mem.Load(u, x, memmodel.Msg(c.Back), int(c.Broken), in.Order, in.Scope)
		set(regs, in.Dst, v)
	case ir.OpStore:
		ok = mem.Store(u, x, memmodel.Msg(c.Back), operand(f, regs, in.B), in.Order, in.Scope)
	case ir.OpRMW:
		old := mem.Value(x, memmodel.Msg(c.Back))
		val, _ := ir.Eval(in.Alu, in.Type, old, operand(f, regs, in.B))
		ok = mem.Modify(u, x, memmodel.Msg(c.Back), int(c.Broken), val, in.Order, in.Scope)
		set(regs, in.Dst, old)
	case ir.OpCmpXchg:
		old := mem.Value(x, memmodel.Msg(c.Back))
		if c.Fail { // rule 10.2: a load with the failure order
			_, ok = mem.Load(u, x, memmodel.Msg(c.Back), int(c.Broken), in.FailOrder, in.Scope)
		} else {
			ok = mem.Modify(u, x, memmodel.Msg(c.Back), int(c.Broken), operand(f, regs, in.C), in.Order, in.Scope)
		}
		set(regs, in.Dst2, old)
		success := int64(1)
		if c.Fail {
			success = 0
		}
		set(regs, in.Dst, success)
	}
	if !ok {
		s.Abandoned = true
		return nowhere
	}
	m.blame(s, u, pc)
	if (in.Op == ir.OpLoad || c.Fail) && !mem.Guarded(x) {
		return nowhere
	}
	return x
}

// mayAccess reports whether there is something at x that unit u may access so, and notes
// else what is wrong.
func (m *Machine) mayAccess(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr, c Choice, x memmodel.Loc) bool {
	if x < 0 || in.Order != memmodel.NonAtomic && !s.Cast.Layout.Locs[x].Atomic {
		s.fail(u, int(s.pc[u]), InvalidAccess)
		s.status[u] = Stuck
		return false
	}
	if m.Maps && m.mappable(x) {
		write := in.Op != ir.OpLoad
		if s.freed(x) {
			m.useFreed(s, u, x, write)
			return false
		}
		if !m.mayTouch(s, u, x, write) {
			s.stuck(u, MappingViolation)
			return false
		}
	}
	if in.Order != memmodel.NonAtomic && in.Op != ir.OpStore && memmodel.Msg(c.Back) == s.Mem.Readable(u, x) {
		if s.Violation.Kind == NoViolation { // a data race that is yet to come true keeps its place
			s.fail(u, int(s.pc[u]), UninitialisedRead)
			s.Violation.Fault = memmodel.Fault{Kind: memmodel.Uninitialised, Loc: x, Unit: u}
		}
		s.status[u] = Stuck
		return false
	}
	if in.Op == ir.OpStore && in.Type == ir.Ptr && facts.Narrower(operand(f, s.reg(u), in.B), s.Cast.Layout.Locs[x].Region) {
		s.fail(u, int(s.pc[u]), InvalidAccess)
		s.status[u] = Stuck
		return false
	}
	return true
}

// race notes a data race. It takes the place of whatever else has gone wrong in the
// execution, which is undefined as a whole (rule 9.3). The exception is a read of
// uninitialised memory: its value may be why a unit came to race elsewhere.
func (s *State) race(u memmodel.Unit, pc int) {
	was := s.Violation
	switch {
	case was.Kind == UninitialisedRead && was.Fault.Loc == s.Mem.Fault.Loc:
		s.Violation = Violation{} // the write that was missing came, unordered: say that
	case was.Kind != UninitialisedRead && was.Kind.MayComeOfRace():
		s.Violation = Violation{Kind: DataRace, Unit: u, PC: pc, Failed: was.Kind, FailedUnit: was.Unit, FailedPC: was.PC}
	}
	s.fail(u, pc, DataRace)
}

// attend has memory look for what is wrong with what unit u does at an instruction of its code.
func (m *Machine) attend(s *State, u memmodel.Unit, pc int) {
	s.Mem.Fault, s.Mem.Forgives = memmodel.Fault{}, m.Program.Forgives(s.Cast.Units[u].Func, pc)
}

// blame turns a fault of memory into a violation.
func (m *Machine) blame(s *State, u memmodel.Unit, pc int) {
	switch s.Mem.Fault.Kind {
	case memmodel.NoFault:
		return
	case memmodel.DataRace:
		s.race(u, pc)
	case memmodel.Uninitialised:
		s.fail(u, pc, UninitialisedRead)
	case memmodel.Unfenced:
		s.fail(u, pc, UnfencedImage)
	}
	if v := &s.Violation; v.Unit == u && v.PC == pc && v.Fault.Kind == memmodel.NoFault {
		s.Violation.Fault = s.Mem.Fault
	}
}

// barred reports whether unit u's next operation must not come before a write
// that it owes.
func (m *Machine) barred(s *State, u memmodel.Unit, in *ir.Instr, c Choice) bool {
	if s.Mem.Promises(u) == 0 {
		return false
	}
	switch {
	case in.Op.Access():
		f := m.Program.Funcs[s.Cast.Units[u].Func]
		x := s.Cast.resolve(&s.Cast.Units[u], operand(f, s.reg(u), in.A))
		order := in.Order
		if c.Fail {
			order = in.FailOrder
		}
		writes := in.Op != ir.OpLoad && !c.Fail
		return x >= 0 && s.Mem.AccessBarred(u, x, writes && order.Releases(), order)
	case in.Op == ir.OpFence:
		return s.Mem.FenceBarred(u, in.Flags, in.Order)
	}
	return !facts.Passable(in, memmodel.Global) // nor into any other memory
}

// fulfils appends the promises that unit u may keep by its next operation.
func (m *Machine) fulfils(s *State, u memmodel.Unit, out []Choice) []Choice {
	p, _ := m.intended(s, u)
	var buf [8]memmodel.Owed
	for _, w := range s.Mem.Owes(u, p.loc, buf[:0]) {
		if !p.makes(&w.Write) {
			continue
		}
		cuts := 1
		if w.RMW && !w.Order.Releases() {
			cuts = s.Mem.Cuts(u, p.loc, w.Back)
		}
		for broken := range cuts {
			out = append(out, Choice{Back: uint16(w.Back), Broken: uint8(broken), Promise: 1})
		}
	}
	return out
}

// intended returns the write that unit u is about to perform.
func (m *Machine) intended(s *State, u memmodel.Unit) (offer, bool) {
	unit := &s.Cast.Units[u]
	f := m.Program.Funcs[unit.Func]
	in := &f.Code[s.pc[u]]
	x := s.Cast.resolve(unit, operand(f, s.reg(u), in.A))
	if x < 0 || !s.Cast.Layout.Locs[x].Atomic {
		return offer{}, false
	}
	return offer{x, f.Intent(in, s.reg(u)), int(s.pc[u])}, true
}

// makes reports whether the operation makes the write.
func (p *offer) makes(w *memmodel.Write) bool {
	if p.Order != w.Order || p.Scope != w.Scope || w.RMW != p.Takes() {
		return false
	}
	if !w.RMW {
		return p.B == w.Val
	}
	val, ok := p.Modified(w.Old)
	return ok && val == w.Val
}

// keep performs the operation that keeps a promise, and returns its location.
func (m *Machine) keep(s *State, u memmodel.Unit, in *ir.Instr, c Choice) memmodel.Loc {
	pc := int(s.pc[u])
	p, _ := m.intended(s, u)
	var buf [8]memmodel.Owed
	owed := s.Mem.Owes(u, p.loc, buf[:0])
	i := slices.IndexFunc(owed, func(w memmodel.Owed) bool { return p.makes(&w.Write) && w.Back == memmodel.Msg(c.Back) })
	w := owed[i]
	m.attend(s, u, pc)
	s.Mem.Fulfil(u, p.loc, int(c.Broken), w)
	if s.Mem.AccessBarred(u, p.loc, in.Order.Releases(), in.Order) {
		s.Abandoned = true
		return p.loc
	}
	switch in.Op {
	case ir.OpRMW:
		set(s.reg(u), in.Dst, w.Old)
	case ir.OpCmpXchg:
		set(s.reg(u), in.Dst2, w.Old)
		set(s.reg(u), in.Dst, 1)
	}
	m.blame(s, u, pc)
	return p.loc
}
