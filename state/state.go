package state

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Status says what a unit of execution is doing between steps.
type Status uint8

// What a unit may be doing.
const (
	Ready     Status = iota // about to perform the visible operation at its pc
	AtBarrier               // has arrived at the barrier at its pc
	Finishing               // waits in clFinish
	Pending                 // command that has not started
	Running                 // command that has started, or a user event whose status is not set
	Ended
	Stuck  // cannot go on after a violation
	Copied // an asynchronous copy that is complete, but has not been waited for
)

// State is one state of a program: where its units are, their registers, and
// the memory. It is flat and reusable; CopyFrom does not allocate in steady
// state.
//
// Whoever adds a field thinks of it in CopyFrom and reset; Append and Decode;
// Machine.move, which takes a state to another cast; rename, where units get other
// numbers; and Dominates. TestFieldsOfState sees that none is forgotten.
type State struct {
	Cast   *Cast           // the units that there are
	Mem    memmodel.Memory // what they share, and what each has seen of it
	pc     []int32         // by unit: its next instruction
	status []Status        // by unit
	regs   []int64         // of all units, one's after another's; see Unit.regs
	obs    []observation   // sorted
	made   []uint16        // commands that each unit has enqueued so far
	code   []int32         // of commands that have ended: the execution status, 0 or negative
	maps   []mapping       // sorted
	refs   []uint8         // of commands: how often their event is held
	due    bool            // something may have to be started, completed or resumed
	// The cl.Reachable calls reached: they count once the execution does.
	reached points
	// Violation is what has gone wrong. Memory.Open tells whether it counts yet.
	Violation Violation
	// PastRace: the execution has gone on after a data race, as if it had been none, or after a read of what nobody has written (Machine.Pass).
	PastRace bool
	// Abandoned: an assumption of the model failed, or the memory model forbids
	// the step that was tried. The state must not be used any more.
	Abandoned bool
	// AssumptionFailed: it was because an assumption failed.
	AssumptionFailed bool
	// MessageBoundHit is what the execution goes beyond that a state can hold, if it does: it cannot be followed further.
	MessageBoundHit Limit
	// Uncertified: it was because a unit could not keep its promises any more.
	Uncertified bool
	// CertificationFailed: it was because the unit that has taken the last step cannot keep its own promises after it.
	CertificationFailed bool
	solo                bool // a unit runs alone, to certify its promises
	abortable           bool // private computation is given up when the machine is halted
	unpromising         bool // as PromisesOver has found
	// By unit: what it comes to if it runs alone, as far as somebody has asked and no step has made a difference since.
	alone []certificationKey
	// By unit: whether a promise of it may matter from here on, as far as somebody has asked.
	buffering []answer
}

// CopyFrom makes s equal to o.
func (s *State) CopyFrom(o *State) {
	s.Cast = o.Cast
	s.Mem.CopyFrom(&o.Mem)
	s.pc = append(s.pc[:0], o.pc...)
	s.status = append(s.status[:0], o.status...)
	s.regs = append(s.regs[:0], o.regs...)
	s.obs = append(s.obs[:0], o.obs...)
	s.made = append(s.made[:0], o.made...)
	s.code = append(s.code[:0], o.code...)
	s.refs = append(s.refs[:0], o.refs...)
	s.maps = append(s.maps[:0], o.maps...)
	s.reached, s.due, s.PastRace = append(s.reached[:0], o.reached...), o.due, o.PastRace
	s.Violation, s.Abandoned, s.AssumptionFailed, s.Uncertified, s.CertificationFailed, s.MessageBoundHit = o.Violation, o.Abandoned, o.AssumptionFailed, o.Uncertified, o.CertificationFailed, o.MessageBoundHit
	s.solo, s.abortable, s.unpromising = o.solo, o.abortable, o.unpromising
	s.alone, s.buffering = append(s.alone[:0], o.alone...), append(s.buffering[:0], o.buffering...)
}

// Dominates reports whether whatever may follow o may follow s, both of which are
// outcomes of one operation: they differ at most in that units have seen less of
// some locations in s, and hence can read all that they could in o, and more.
func (s *State) Dominates(o *State) bool {
	return s.Cast == o.Cast && !s.Abandoned && !o.Abandoned && s.Violation == o.Violation && slices.Equal(s.reached, o.reached) &&
		s.due == o.due && s.PastRace == o.PastRace && slices.Equal(s.pc, o.pc) && slices.Equal(s.status, o.status) && slices.Equal(s.obs, o.obs) &&
		slices.Equal(s.made, o.made) && slices.Equal(s.code, o.code) && slices.Equal(s.refs, o.refs) &&
		slices.Equal(s.maps, o.maps) && slices.Equal(s.regs, o.regs) && s.Mem.Dominates(&o.Mem)
}

// Status returns what unit u is doing.
func (s *State) Status(u memmodel.Unit) Status { return s.status[u] }

// PC returns the index of the instruction that unit u is at.
func (s *State) PC(u memmodel.Unit) int { return int(s.pc[u]) }

// Registers returns the registers of unit u, which are not to be changed.
func (s *State) Registers(u memmodel.Unit) []int64 { return s.reg(u) }

// Repeats reports whether unit u, which has performed a step that led from before to s, is
// about to do the same once more, and nothing but memory is any different.
func (s *State) Repeats(before *State, u memmodel.Unit) bool {
	return s.Quiet(before, u) && s.pc[u] == before.pc[u] && slices.Equal(before.reg(u), s.reg(u))
}

// Quiet reports whether unit u, which has performed a step that led from before to s, is
// ready for another one, and nothing but memory and what is its own is any different.
func (s *State) Quiet(before *State, u memmodel.Unit) bool {
	return s.Cast == before.Cast && s.status[u] == Ready && s.Violation.Kind == before.Violation.Kind && !s.Abandoned &&
		slices.Equal(s.reached, before.reached) && slices.Equal(before.obs, s.obs)
}

// Done reports whether every unit has ended.
func (s *State) Done() bool {
	for u, st := range s.status {
		if q := &s.Cast.Units[u]; st != Ended && (q.cmd == nil || q.cmd.Kind != UserEvent && q.cmd.Kind != CallbackCommand) {
			return false
		}
	}
	return true
}

// Failed reports whether a unit has gone wrong and stands still, though the execution goes on:
// beyond a data race that has made that a consequence.
func (s *State) Failed() bool { return slices.Contains(s.status, Stuck) }

// Waiting returns a unit that keeps the execution from ending, and where in
// its code: one that cannot go on or, if there is none, one that has enqueued
// a command that does not start.
func (s *State) Waiting() (u memmodel.Unit, pc int) {
	finishing := memmodel.Unit(0)
	for u := range s.Cast.Count() {
		switch st := s.status[u]; {
		case st == Ended || s.Cast.Units[u].Func < 0:
		case st == Finishing:
			finishing = u
		default:
			return u, int(s.pc[u])
		}
	}
	for c := range s.Cast.Count() {
		if by, ok := s.Cast.parent(c); ok && s.status[c] == Pending {
			return by, s.Cast.Units[c].cmd.PC
		}
	}
	return finishing, int(s.pc[finishing])
}

// Open reports whether the execution rests on an assumption about later
// stores that has not come true yet: its violations do not count so far.
func (s *State) Open() bool { return s.Mem.Open() }

// reg returns unit u's registers.
func (s *State) reg(u memmodel.Unit) []int64 {
	from := s.Cast.Units[u].regs
	to := len(s.regs)
	if u+1 < s.Cast.Count() {
		to = s.Cast.Units[u+1].regs
	}
	return s.regs[from:to]
}

// Value is one named value of an outcome.
type Value struct {
	Name string `json:"name"` // what was observed, or a variable
	// Long is the name to use if in some execution two values have this Name.
	Long  string `json:"long,omitempty"`
	Value int64  `json:"value"` // in the bits of its type
	// Unsigned: Value stands for the unsigned integer with these 64 bits.
	Unsigned bool `json:"unsigned,omitempty"`
}

// OutcomeKey appends bytes that tell the outcome of a finished execution of program p from others.
func (s *State) OutcomeKey(p *ir.Program, b []byte) []byte {
	b = appendObservations(b, s.obs)
	for _, f := range p.Final {
		b = binary.AppendVarint(b, s.Mem.Final(memmodel.Loc(f.Addr)))
	}
	return b
}

func appendObservations(b []byte, obs []observation) []byte {
	b = binary.AppendUvarint(b, uint64(len(obs)))
	for i := range obs {
		o := &obs[i]
		b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, uint64(o.text)), o.who), uint64(o.nth))
		b = binary.AppendVarint(b, o.val)
	}
	return b
}

// Append appends the canonical encoding of s, which must have been normalised.
func (s *State) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, s.Cast.ID)
	for u := range memmodel.Unit(len(s.status)) {
		b = append(b, byte(s.status[u]))
		if s.status[u] != Ended {
			b = binary.AppendUvarint(b, uint64(s.pc[u]))
			for _, r := range s.reg(u) {
				b = binary.AppendVarint(b, r)
			}
			if s.Cast.commands {
				b = binary.AppendUvarint(b, uint64(s.made[u]))
			}
		}
		if s.Cast.Units[u].cmd != nil {
			b = append(binary.AppendVarint(b, int64(s.code[u])), s.refs[u])
		}
	}
	b = appendObservations(b, s.obs)
	if s.Cast.mapping {
		b = appendMaps(b, s.maps)
	}
	b = s.reached.append(b)
	kind := byte(s.Violation.Kind)
	if s.PastRace {
		kind |= pastRace
	}
	b = append(b, kind)
	if v := &s.Violation; v.Kind != NoViolation { // it waits for an assumption to come true
		known := 0
		if v.Fault.Known {
			known = 1
		}
		for _, n := range [...]int{int(v.Unit), v.PC, int(v.Waiting), int(v.Missing), int(v.Fault.Kind), int(v.Fault.Loc), int(v.Fault.Other), int(v.Failed), int(v.FailedUnit), v.FailedPC, known} {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return s.Mem.Append(b)
}

// pastRace is a bit of the encoded kind of violation.
const pastRace = 1 << 7

// ErrCorrupt is returned by Decode for bytes that Append cannot have written.
var ErrCorrupt = errors.New("state: corrupt encoding")

// Decode makes s the state that Append encoded, as far as its future goes. The
// machine must have met the state's cast before.
func (m *Machine) Decode(s *State, b []byte) error {
	if len(b) < 8 {
		return ErrCorrupt
	}
	c := m.cast(binary.LittleEndian.Uint64(b))
	if c == nil {
		return ErrCorrupt
	}
	s.reset(c)
	d := memmodel.NewReader(b[8:])
	for u := range memmodel.Unit(len(s.status)) {
		if s.status[u] = Status(d.Byte()); s.status[u] != Ended {
			s.pc[u] = int32(d.Uvarint())
			for i := range s.reg(u) {
				s.reg(u)[i] = d.Varint()
			}
			if c.commands {
				s.made[u] = uint16(d.Uvarint())
			}
		}
		if c.Units[u].cmd != nil {
			s.code[u], s.refs[u] = int32(d.Varint()), d.Byte()
		}
	}
	for range d.Uvarint() {
		if d.Bad() {
			return ErrCorrupt
		}
		o := observation{text: int32(d.Uvarint()), who: d.Uvarint(), nth: int32(d.Uvarint())}
		o.val = d.Varint()
		s.obs = append(s.obs, o)
	}
	if c.mapping {
		s.maps = readMaps(&d, s.maps[:0])
	}
	s.reached = readPoints(&d, s.reached[:0])
	v := &s.Violation
	kind := d.Byte()
	s.PastRace = kind&pastRace != 0
	if v.Kind = Kind(kind &^ pastRace); v.Kind != NoViolation {
		v.Unit, v.PC, v.Waiting, v.Missing = memmodel.Unit(d.Uvarint()), int(d.Uvarint()), memmodel.Unit(d.Uvarint()), memmodel.Unit(d.Uvarint())
		v.Fault.Kind = memmodel.FaultKind(d.Uvarint())
		v.Fault.Loc, v.Fault.Other = memmodel.Loc(d.Uvarint()), memmodel.Unit(d.Uvarint())
		v.Fault.Unit = v.Unit
		v.Failed, v.FailedUnit, v.FailedPC = Kind(d.Uvarint()), memmodel.Unit(d.Uvarint()), int(d.Uvarint())
		v.Fault.Known = d.Uvarint() != 0
	}
	if d.Bad() {
		return ErrCorrupt
	}
	_, err := s.Mem.Decode(c.Layout, d.Rest())
	return err
}

// reset makes s the state of a cast that has done nothing yet, but for memory.
func (s *State) reset(c *Cast) {
	n := len(c.Units)
	s.Cast = c
	s.pc = zeroed(s.pc, n)
	s.status = zeroed(s.status, n)
	s.regs = zeroed(s.regs, c.regs)
	s.obs, s.maps = s.obs[:0], s.maps[:0]
	s.made, s.code, s.refs = zeroed(s.made, n), zeroed(s.code, n), zeroed(s.refs, n)
	s.reached, s.due, s.PastRace = s.reached[:0], false, false
	s.Violation, s.Abandoned, s.AssumptionFailed, s.Uncertified, s.CertificationFailed, s.MessageBoundHit = Violation{}, false, false, false, false, NoLimit
	s.solo, s.abortable, s.unpromising = false, false, false
	s.alone, s.buffering = s.alone[:0], s.buffering[:0]
}

func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
