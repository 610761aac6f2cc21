package state

import (
	"sync"
	"sync/atomic"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Machine is a program made ready for execution under one reading of the
// specification. It is safe for concurrent use.
type Machine struct {
	// What the text of the program tells.
	*facts.Facts
	// Traits are those that Facts tells, with promises, or with writes that all see at
	// once, if there are any.
	Traits memmodel.Traits
	// Keep leaves out reductions of the canonical form. Set it before use.
	Keep memmodel.Keep
	// Most bounds the bytes that the memory of a state may take that Try leads to (memmodel.Memory.Size), 0 means no
	// bound. Set it before use.
	Most int
	// Asked, if there is one, is called whenever somebody asks whether the machine is Halted: a test
	// halts it there. Set it before use.
	Asked func()
	// Effort is how much the machine has done, if somebody asks.
	Effort Effort

	reached   []atomic.Bool // by message: which cl.Reachable calls some execution has reached
	certifier Certifier     // what units can do alone
	halted    atomic.Bool   // see Halt
	leader    *Machine      // see HaltWith
	outgrown  atomic.Bool   // Try has abandoned a state because of Most
	covered   *coverage     // which instructions some execution has performed

	legacyShared atomic.Bool // work-items of several groups have called those at a time

	mu        sync.RWMutex        // guards the rest
	observers map[uint64]Observer // what units that have observed are called
	casts     map[uint64]*Cast    // by ID, those that some state has had
	kernels   map[string]uint32   // numbers of kernel-instances, by the paths of their commands
}

// NewMachine prepares a program.
func NewMachine(p *ir.Program, spec memmodel.Spec) *Machine { return Knowing(facts.Of(p, spec)) }

// Knowing returns a machine for a program of which the facts are known.
func Knowing(f *facts.Facts) *Machine {
	m := &Machine{
		Facts: f, Traits: f.Traits, reached: make([]atomic.Bool, len(f.Program.Strings)), covered: newCoverage(f.Program),
		casts: map[uint64]*Cast{}, observers: map[uint64]Observer{}, kernels: map[string]uint32{},
	}
	m.certifier.m = m
	return m
}

// Halt makes the machine give up what takes long, whatever its answers are worth then:
// whether promises matter, what can be promised, what units may do that nobody has asked before, and what Start and
// Try compute. It is for good.
func (m *Machine) Halt() { m.halted.Store(true) }

// Halted reports whether the machine has been told to Halt: since when, nothing counts that
// it says of promises and of what lies ahead, nor that a state is abandoned that Start or Try has led to.
func (m *Machine) Halted() bool {
	if m.Asked != nil {
		m.Asked()
	}
	return m.halted.Load() || m.Effort.Tired() || m.leader != nil && m.leader.Halted()
}

// HaltWith makes the machine halt when another one does. It must be called before use.
func (m *Machine) HaltWith(other *Machine) { m.leader = other }

// Normalise brings s into canonical form.
func (m *Machine) Normalise(c *memmodel.Canon, s *State) {
	m.Effort.add(s)
	m.lookAhead(c, s)
	s.alone = s.alone[:0] // in which messages are counted
	c.Normalise(&s.Mem)
	for m.Concurrent && m.retire(s) { // the form shows what there is to tell
		c.Normalise(&s.Mem)
	}
}

// lookAhead tells c what is known of the future of s.
func (m *Machine) lookAhead(c *memmodel.Canon, s *State) {
	h := &c.Horizon
	*h = memmodel.Horizon{Keep: m.Keep, Units: h.Units[:0], Wanted: h.Wanted[:0]}
	if !m.certifier.Over(s) || m.Beyond { // what a unit may promise, or do to what is hidden, is not worked out
		h.Units, h.Wanted = nil, nil
		return
	}
	h.Wanted = append(h.Wanted, s.Cast.final...)
	hosts, pending := 0, false
	for u := range s.Cast.Count() {
		unit := &s.Cast.Units[u]
		f := m.Future(s, u)
		h.Units = append(h.Units, f)
		if f != nil {
			for i := range h.Wanted {
				h.Wanted[i] |= f.Peek[i] | f.Modify[i]
			}
		}
		if unit.Func >= 0 && unit.Place.Host {
			hosts++
		}
		pending = pending || s.status[u] == Pending
	}
	h.Closed = !m.Enqueues || !m.Concurrent && hosts <= 1 && !pending && !m.DeviceQueue
	h.Apart = m.Concurrent
}

// Choosing reports whether unit u's next operation is a choice of its own.
func (m *Machine) Choosing(s *State, u memmodel.Unit) bool {
	if s.status[u] == Ready && s.Cast.Units[u].Func < 0 {
		return len(s.failures(u)) > 1
	}
	return s.status[u] == Ready && m.Program.Funcs[s.Cast.Units[u].Func].Code[s.pc[u]].Op == ir.OpChoose
}

// Reading returns the atomic location that unit u is about to read, if its
// next operation is an atomic load or read-modify-write; else -1. Where writes
// are seen at once, a store counts as a read-modify-write: it competes for its
// place with all that access the location.
func (m *Machine) Reading(s *State, u memmodel.Unit) memmodel.Loc {
	if s.status[u] != Ready {
		return -1
	}
	unit := &s.Cast.Units[u]
	if unit.Func < 0 {
		return -1
	}
	f := m.Program.Funcs[unit.Func]
	in := &f.Code[s.pc[u]]
	switch {
	case in.Op.Access() && in.Order != memmodel.NonAtomic:
		if in.Op == ir.OpStore && !m.Traits.Interleaved {
			return -1
		}
		x := s.Cast.resolve(unit, operand(f, s.reg(u), in.A))
		if x < 0 || !s.Cast.Layout.Locs[x].Atomic {
			return -1
		}
		return x
	case in.Op.Access() && m.Maps:
		return m.asksFor(s, u, in)
	case in.Op == ir.OpEventStatus:
		return m.asked(s, u)
	case in.Op == ir.OpMapCell:
		return m.undoes(s, u)
	case in.Op == ir.OpMap, in.Op == ir.OpUnmap, in.Op == ir.OpFree:
		return m.regionOf(s, u, in)
	case m.Threaded && (in.Op.Queued() || in.Op == ir.OpFinish):
		return m.turn(f, s.reg(u), in)
	}
	return -1
}

// Modifying reports whether unit u's next operation, of which Reading tells the
// location, is a read-modify-write or compare-exchange, or counts as one.
func (m *Machine) Modifying(s *State, u memmodel.Unit) bool {
	op := m.Program.Funcs[s.Cast.Units[u].Func].Code[s.pc[u]].Op
	return op == ir.OpRMW || op == ir.OpCmpXchg || op == ir.OpStore && m.Traits.Interleaved || op.Maps() || op.Queued() || op == ir.OpFinish
}
