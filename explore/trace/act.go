package trace

import (
	"fmt"
	"strconv"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Act is a move of a schedule in names that outlive a change of the model: who performs what, which write it reads, and before which one it writes. A Move,
// beside it, counts messages, and holds for one program only.
type Act struct {
	Step     int    `json:"step"` // its number in reports
	Unit     string `json:"unit"` // who: an ID that comes of how it was launched
	Name     string `json:"name"` // what that is called
	Op       string `json:"does"`
	At       string `json:"at,omitempty"` // file:line:col
	Location string `json:"location,omitempty"`
	Reads    *Write `json:"reads,omitempty"`  // the write that is read
	Before   *Write `json:"before,omitempty"` // the write before which this one comes, with the read-modify-writes that follow upon it; none: it is the last
	Value    uint16 `json:"value,omitempty"`  // what is chosen, of a choice
	Broken   uint8  `json:"broken,omitempty"`
	Fail     bool   `json:"fail,omitempty"`
	Promise  uint8  `json:"promise,omitempty"`
	// Of a write that becomes visible early: what is written, where, and what a read-modify-write reads.
	Writes  *int64 `json:"writes,omitempty"`
	Old     *int64 `json:"old,omitempty"`
	Address int32  `json:"address,omitempty"`
}

// Write names a write: its unit's n-th of that location. Number 0 is the initial value.
type Write struct {
	Unit   string `json:"unit,omitempty"`
	Number int    `json:"number"`
}

// opWords name the operations that moves perform. A command completes.
var opWords = map[ir.Op]string{ir.OpNop: "completion", ir.OpLoad: "load", ir.OpStore: "store", ir.OpRMW: "read-modify-write", ir.OpCmpXchg: "compare-exchange",
	ir.OpFence: "fence", ir.OpBarrier: "barrier", ir.OpCollective: "collective", ir.OpAsyncCopy: "async copy", ir.OpWaitCopies: "wait for copies",
	ir.OpChoose: "choice", ir.OpEnqueueNDRange: "enqueue", ir.OpFinish: "finish", ir.OpGo: "start of a thread", ir.OpEnqueueKernel: "enqueue on a device",
	ir.OpEnqueueMarker: "marker on a device", ir.OpCreateEvent: "create event", ir.OpSetEvent: "set event", ir.OpRetainEvent: "retain event",
	ir.OpReleaseEvent: "release event", ir.OpValidEvent: "valid event", ir.OpEnqueueNative: "native kernel", ir.OpMarker: "marker", ir.OpQueueBarrier: "barrier of a queue",
	ir.OpWaitEvents: "wait for events", ir.OpEventStatus: "event status", ir.OpCallback: "callback", ir.OpMapCell: "map of a cell", ir.OpMap: "map",
	ir.OpUnmap: "unmap", ir.OpFree: "free", ir.OpCopied: "copied", ir.OpEnd: "end"}

// ops is the inverse of opWords.
var ops = func() map[string]ir.Op {
	all := map[string]ir.Op{}
	for o, word := range opWords {
		all[word] = o
	}
	return all
}()

// Acts names the moves of a schedule, as far as it can be repeated.
func Acts(p *ir.Program, spec memmodel.Spec, schedule []Move, after bool) []Act {
	for m := range explore.Replayers(p, spec, Moves(schedule)) {
		list := explore.Name(m, Moves(schedule), after)
		if len(list) < len(schedule) {
			continue
		}
		w := &actWriter{p: p, list: list, numbers: writeNumbers(list), places: map[ir.Pos]string{}, units: map[uint64]string{}}
		acts := make([]Act, len(list))
		for i := range list {
			acts[i] = w.act(i)
		}
		return acts
	}
	return nil
}

// actWriter turns named moves into acts. A long schedule repeats few places and units, so each of their texts is kept once.
type actWriter struct {
	p       *ir.Program
	list    []explore.Named
	numbers []int // by move: which of its unit's writes of its location it is, from 1, if it may write
	places  map[ir.Pos]string
	units   map[uint64]string
}

// once returns the text of a key, which is made the first time only.
func once[K comparable](texts map[K]string, key K, text func() string) string {
	t, ok := texts[key]
	if !ok {
		t = text()
		texts[key] = t
	}
	return t
}

func (w *actWriter) unit(id uint64) string {
	return once(w.units, id, func() string { return idText(id) })
}

func (w *actWriter) place(at ir.Pos) string {
	return once(w.places, at, func() string { return fmt.Sprintf("%s:%d:%d", w.p.Sources[at.File].Name, at.Line, at.Col) })
}

// act returns the act of move i.
func (w *actWriter) act(i int) Act {
	n := &w.list[i]
	a := Act{Unit: w.unit(n.Unit), Name: n.Name, Op: opWords[n.Op], Location: n.Location, Value: n.Choice.Back, Broken: n.Choice.Broken, Fail: n.Choice.Fail, Promise: n.Choice.Promise, Address: n.Addr}
	if n.At.Line > 0 {
		a.At = w.place(n.At)
	}
	if n.Choice.Promise > 1 {
		v := n.Promise.Val
		if a.Writes = &v; n.Promise.RMW {
			old := n.Promise.Old
			a.Old = &old
		}
	}
	if n.Message == explore.NoWrite {
		return a
	}
	by := &Write{}
	if n.Message > 0 {
		by.Unit, by.Number = w.unit(w.list[n.Message-1].Unit), w.numbers[n.Message-1]
	}
	if n.Op == ir.OpStore {
		a.Before = by
	} else {
		a.Reads = by
	}
	return a
}

// writeNumbers numbers the writes of each unit to each location, by move.
func writeNumbers(list []explore.Named) []int {
	type cell struct {
		unit     uint64
		location string
	}
	numbers, last := make([]int, len(list)), map[cell]int{}
	for i := range list {
		if n := &list[i]; n.Writes {
			c := cell{n.Unit, n.Location}
			last[c]++
			numbers[i] = last[c]
		}
	}
	return numbers
}

func idText(id uint64) string { return strconv.FormatUint(id, 16) }

// recorded turns acts back into named moves.
func recorded(acts []Act) ([]explore.Named, error) {
	list := make([]explore.Named, len(acts))
	moves, last := map[writeName]int{}, map[writeName]int{} // of each write, and of a unit's last write of a location, as number 0
	for i := range acts {
		a := &acts[i]
		id, err := strconv.ParseUint(a.Unit, 16, 64)
		op, ok := ops[a.Op]
		if err != nil || !ok {
			return nil, fmt.Errorf("step %d of the trace is damaged: %q does %q", i+1, a.Unit, a.Op)
		}
		n := explore.Named{Unit: id, Name: a.Name, Op: op, Location: a.Location, Message: explore.NoWrite, Addr: a.Address,
			Choice: state.Choice{Back: a.Value, Broken: a.Broken, Fail: a.Fail, Promise: a.Promise}}
		if a.Writes != nil {
			n.Promise.Val = *a.Writes
		}
		if a.Old != nil {
			n.Promise.Old, n.Promise.RMW = *a.Old, true
		}
		n.Writes = op == ir.OpStore || op == ir.OpRMW || op == ir.OpCmpXchg && !a.Fail || a.Promise > 1
		w := a.Reads
		if a.Before != nil {
			w = a.Before
		}
		if w != nil {
			if n.Message, ok = moves[writeName{w.Unit, a.Location, w.Number}]; !ok && w.Number != 0 {
				return nil, fmt.Errorf("step %d of the trace is damaged: nothing before it is write %d of %q", i+1, w.Number, w.Unit)
			}
		}
		if n.Writes {
			c := writeName{unit: a.Unit, location: a.Location}
			last[c]++
			moves[writeName{a.Unit, a.Location, last[c]}] = i + 1
		}
		n.Recorded()
		list[i] = n
	}
	return list, nil
}

// writeName names a write: its unit's n-th of a location.
type writeName struct {
	unit, location string
	number         int
}

// Refitted is what has become of acts that were looked up in another program.
type Refitted struct {
	Schedule []Move
	Fits     int    // how many steps are there
	Step     string // what the next one is, if not all are
	Now      string // what is there instead
	Wrong    bool   // something goes wrong behind the steps that fit
}

// Refit looks acts up in a program that may have changed since.
func Refit(p *ir.Program, spec memmodel.Spec, acts []Act, after bool) (best Refitted, err error) {
	list, err := recorded(acts)
	if err != nil {
		return best, err
	}
	moves := make([]explore.Move, len(list))
	for i := range list {
		moves[i].Choice = list[i].Choice
	}
	for m := range explore.Replayers(p, spec, moves) {
		f := explore.Retrace(m, list, after)
		if f.Fits < best.Fits || best.Schedule != nil && f.Fits == best.Fits {
			continue
		}
		best = Refitted{Schedule: Stored(f.Moves), Fits: f.Fits, Wrong: f.State.Violation.Kind != state.NoViolation}
		if f.Fits < len(acts) {
			a := &acts[f.Fits]
			best.Step, best.Now = a.said(), standing(m, f.State, &list[f.Fits])
		}
	}
	return best, nil
}

// said says what an act is.
func (a *Act) said() string {
	text := fmt.Sprintf("step %d was %s by %s", a.Step, a.Op, a.Name)
	if a.Location != "" {
		text += " of " + a.Location
	}
	if a.At != "" {
		text += " at " + a.At
	}
	return text
}

// standing says what the unit of a move does instead.
func standing(m *state.Machine, s *state.State, n *explore.Named) string {
	u := s.Cast.Find(n.Unit)
	switch {
	case s.Violation.Kind != state.NoViolation:
		return fmt.Sprintf("something else goes wrong before that (%s)", s.Violation.Kind.ID())
	case u < 0:
		return n.Name + " is not there"
	case s.Status(u) == state.Ended:
		return n.Name + " has ended"
	case s.Cast.Units[u].Func < 0:
		return n.Name + " does something else"
	}
	in := m.Operation(s, u).Instr
	text := fmt.Sprintf("%s is at %s", n.Name, opWords[in.Op])
	if at := place(m.Program, in.Pos); at.Line > 0 {
		text += " at " + at.Exactly()
	}
	if in.Op == n.Op {
		text += ", which has no such outcome there"
	}
	return text
}
