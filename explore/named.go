package explore

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Named is a move of a schedule, named so that it can be looked up where operations synchronise in another way: by who makes it, what it performs, the write
// that it reads, and the write before which its own comes. Writes are named by the moves that made them.
type Named struct {
	Unit uint64 // the ID of who makes it
	Name string // what that is called
	Op   ir.Op  // what it performs; OpNop of a command, and of a promise
	At   ir.Pos // where
	// Message is the number, from 1, of the move that wrote what is read, or before which a write comes; Initial, or NoWrite.
	Message int
	Choice  state.Choice   // but for what Message says
	Promise memmodel.Write // the write that is promised
	Addr    int32          // where
	Writes  bool           // it may write
	// Location is what it accesses, in words.
	Location string

	loose bool         // lines may have moved: what it performs counts, and not where that stands
	raw   state.Choice // as it was recorded
	label int8         // of the message
}

// What Message is where it is no move.
const (
	Initial = 0  // the initial value is read
	NoWrite = -1 // nothing is read, or the write is the last one
)

// idle reports whether a move has no outcome that others could depend on, so that a program may be without the operation.
func (n *Named) idle() bool { return n.Op == ir.OpFence || n.Op == ir.OpBarrier }

// Name names the moves of a schedule, as far as that can be repeated on m. after says that the execution goes on after data races.
func Name(m *state.Machine, schedule []Move, after bool) []Named {
	t := newConcretiser(m)
	t.forgiving = after
	list := make([]Named, 0, len(schedule))
	names := map[string]string{}  // of locations, each once
	brought := map[[2]int64]int{} // by location and label: the move that has brought the message
	for i, mv := range schedule {
		t.pass()
		if t.lost || t.s.Abandoned || mv.Unit < 0 || mv.Unit >= t.s.Cast.Count() {
			break
		}
		n := nameOf(m, t.s, mv)
		x := n.addressOf(m, t.s, mv)
		if same, ok := names[n.Location]; ok {
			n.Location = same
		} else {
			names[n.Location] = n.Location
		}
		if n.label > 0 {
			n.Message = brought[[2]int64{x, int64(n.label)}]
		}
		list = append(list, n)
		t.concretise([]Move{mv})
		if n.Writes {
			brought[[2]int64{x, int64(labelOf(i + 1))}] = i + 1
		}
	}
	return list
}

// labelOf is the label that a message has which move number n brings (memmodel.Memory.Call).
func labelOf(n int) int8 {
	if n <= 0 {
		return int8(map[int]int{Initial: 0, NoWrite: memmodel.Nothing}[n])
	}
	return memmodel.CallLabel(n)
}

// nameOf names a move that is about to be made.
func nameOf(m *state.Machine, s *state.State, mv Move) Named {
	unit := &s.Cast.Units[mv.Unit]
	w := meaningOf(m, s, mv.Unit, mv.Choice)
	n := Named{Unit: unit.ID, Name: unit.Name, Message: NoWrite, Choice: w.choice, Promise: w.promise, Addr: w.addr, raw: mv.Choice, label: w.message}
	if w.message == 0 {
		n.Message = Initial
	}
	n.Choice.Broken = mv.Choice.Broken
	if unit.Func >= 0 && mv.Choice.Promise <= 1 {
		in := m.Operation(s, mv.Unit).Instr
		n.Op, n.At = in.Op, m.Program.Positions[in.Pos]
		n.Writes = in.Op == ir.OpStore || in.Op == ir.OpRMW || in.Op == ir.OpCmpXchg && !mv.Choice.Fail
	}
	n.Writes = n.Writes || mv.Choice.Promise > 1
	return n
}

// addressOf is what tells the location of a move from others; -1 if it accesses none. It notes what that is called.
func (n *Named) addressOf(m *state.Machine, s *state.State, mv Move) int64 {
	if mv.Choice.Promise > 1 {
		return int64(n.Addr)
	}
	if s.Cast.Units[mv.Unit].Func < 0 {
		return -1
	}
	if x := m.Operation(s, mv.Unit).Loc; x >= 0 {
		n.Location, _ = s.Cast.LocName(m.Program, x)
		return int64(s.Cast.Cell(x).Addr)
	}
	return -1
}

// Retraced is how far named moves lead.
type Retraced struct {
	Moves []Move       // made
	Fits  int          // how many of the named ones
	State *state.State // where they have led
}

// Retrace looks named moves up on m, one after the other, and makes them. A fence or barrier that is not there is passed, and one that is there besides is
// performed. It ends where a move is not there, or something goes wrong.
func Retrace(m *state.Machine, list []Named, after bool) Retraced {
	f := Retraced{State: m.Start(nil), Moves: make([]Move, 0, len(list)+4)}
	var choices []state.Choice
	for i := range list {
		if after {
			state.PassTo(m, f.State, state.NoViolation, 0)
		}
		if f.State.Violation.Kind != state.NoViolation || f.State.Abandoned {
			return f
		}
		var made bool
		if made, choices = f.make(m, &list[i], i+1, choices); !made {
			return f
		}
		f.Fits = i + 1
	}
	return f
}

// make makes a named move, and before it what the unit has besides.
func (f *Retraced) make(m *state.Machine, n *Named, number int, choices []state.Choice) (bool, []state.Choice) {
	s := f.State
	for {
		u := s.Cast.Find(n.Unit)
		if u < 0 {
			return false, choices
		}
		at, here := ir.OpNop, ir.Pos{}
		if s.Cast.Units[u].Func >= 0 && s.Status(u) == state.Ready {
			in := m.Operation(s, u).Instr
			at, here = in.Op, m.Program.Positions[in.Pos]
		}
		same := at == n.Op && (n.loose || here == n.At)
		besides := at == ir.OpFence && !same
		if n.idle() && !besides && !same {
			return true, choices // it is not there
		}
		var mv Move
		if besides {
			mv = Move{Unit: u}
		} else if mv, choices = n.find(m, s, u, at, choices); mv.Unit < 0 {
			return false, choices
		}
		s.Mem.Call(number)
		f.Moves = append(f.Moves, mv)
		if m.Try(s, u, mv.Choice); s.Abandoned {
			return false, choices
		}
		if !besides {
			return true, choices
		}
		if s.Violation.Kind != state.NoViolation {
			return false, choices
		}
	}
}

// find finds the choice that means what is named; of several guesses about a release sequence, the nearest.
func (n *Named) find(m *state.Machine, s *state.State, u memmodel.Unit, at ir.Op, choices []state.Choice) (Move, []state.Choice) {
	none := Move{Unit: -1}
	if n.raw.Promise > 1 {
		choices = m.Promises().Offers(s, u, -1, choices[:0])
	} else if choices = m.Choices(s, u, choices[:0]); at != n.Op {
		return none, choices
	}
	if slices.Contains(choices, n.raw) && n.is(meaningOf(m, s, u, n.raw)) {
		return Move{u, n.raw}, choices
	}
	best := none
	for _, c := range choices {
		if n.is(meaningOf(m, s, u, c)) && (best.Unit < 0 || distance(c.Broken, n.Choice.Broken) < distance(best.Choice.Broken, n.Choice.Broken)) {
			best = Move{u, c}
		}
	}
	return best, choices
}

// is reports whether a choice means what is named. Of a promised write the order does not count.
func (n *Named) is(w meaning) bool {
	c := w.choice
	if n.Op != ir.OpEventStatus { // where it is no guess
		c.Broken = n.Choice.Broken
	}
	return c == n.Choice && w.message == n.label && w.addr == n.Addr &&
		w.promise.Val == n.Promise.Val && w.promise.RMW == n.Promise.RMW && w.promise.Old == n.Promise.Old
}

// Recorded gives a named move that has been read from elsewhere what Retrace goes by.
func (n *Named) Recorded() {
	n.loose = true
	n.label = labelOf(n.Message)
	n.raw = n.Choice
	n.raw.Back = ^uint16(0) // counts from the newest message, and what is that now is not known
	if n.Message == NoWrite {
		n.raw = n.Choice
	}
}
