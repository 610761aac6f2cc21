package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Trace is one execution that goes wrong. Steps are named by their ids, which
// count from 1; step 0 stands for the initial values of memory.
type Trace struct {
	ID       string `json:"id"`      // of the kind of violation: "CL1001"
	Kind     string `json:"kind"`    // its name: "data race"
	Message  string `json:"message"` // what happened, in one sentence
	At       Pos    `json:"at"`      // where it was found
	Location string `json:"location,omitempty"`
	// Accesses are the steps at fault: the two of a data race, the one of an
	// uninitialised read.
	Accesses []int    `json:"accesses,omitempty"`
	Why      []Reason `json:"why,omitempty"`   // of a data race
	Waits    []Wait   `json:"waits,omitempty"` // of divergence and deadlock
	// Consequence is what had gone wrong before a data race in the same execution.
	Consequence *Consequence `json:"consequence,omitempty"`
	// After: the execution has had data races before, those of the steps Races, and by the
	// specification nothing is known of it any more (rule 9.3). Depends: the violation comes of one of them.
	After   bool     `json:"after_race,omitempty"`
	Races   [][2]int `json:"races_before,omitempty"`
	Depends bool     `json:"depends_on_race,omitempty"`
	// Blanks are steps before that have read what nobody had written, as if it were 0.
	Blanks []int `json:"blanks_before,omitempty"`
	// DependsOn are those of the races that it comes of, and, twice, the steps that have read what nobody had written.
	DependsOn [][2]int `json:"-"`
	// Beside: whoever goes on from here comes to a data race, with which the violation has nothing to do.
	Beside bool `json:"beside_race,omitempty"`
	// Unsettled: whether a data race lies behind the violation was not found out.
	Unsettled bool `json:"race_left_open,omitempty"`
	// Skipped counts private instructions that were not attended to, as there are too many: what a variable holds that
	// only they set is not told then, and there is no slice.
	Skipped int `json:"private_instructions_skipped,omitempty"`
	// Untold: there was no time to repeat the execution, so that there are no steps.
	Untold bool `json:"untold,omitempty"`
	// Unseen: what lanes have come to see is not told of all steps, as there is too much of it.
	Unseen bool `json:"unseen,omitempty"`
	// Liveness, of an execution that goes on for ever: how work is scheduled, and which part is repeated.
	Liveness *Liveness `json:"liveness,omitempty"`
	Schedule []Move    `json:"schedule"`
	Lanes    []Lane    `json:"lanes"`
	Steps    []Step    `json:"steps"`
	// Slice lists the steps that the violation depends on; it is absent where that is all of
	// them, or not known.
	Slice    []int      `json:"slice,omitempty"`
	Memory   []Location `json:"memory"`
	Barriers []Barrier  `json:"barriers,omitempty"`
	// Early lists the writes that became visible early.
	Early []Overtaking `json:"early,omitempty"`
	Edges []Edge       `json:"relations"`

	// Private are private variables of the lane at fault, at the place of the violation.
	Private []Value `json:"private,omitempty"`

	spec        memmodel.Spec
	kind        state.Kind
	privateLane int
	past        *past
}

// PrivateLane returns the lane whose private variables Private tells.
func (t *Trace) PrivateLane() int { return t.privateLane }

// Consequence is something that goes wrong in an execution that a data race makes
// undefined (rule 9.3).
type Consequence struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
	At      Pos    `json:"at"`
}

// ViolationKind returns the kind of violation.
func (t *Trace) ViolationKind() state.Kind { return t.kind }

// Step returns the step of that id, or nil for the initial values.
func (t *Trace) Step(id int) *Step {
	if id < 1 || id > len(t.Steps) {
		return nil
	}
	return &t.Steps[id-1]
}

// Needed reports whether the violation depends on a step, or might.
func (t *Trace) Needed(id int) bool {
	if t.Slice == nil {
		return true
	}
	_, ok := slices.BinarySearch(t.Slice, id)
	return ok
}

// Pos is a place in the model; the zero Pos is unknown.
type Pos struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Col    int    `json:"col,omitempty"`
	Source string `json:"source,omitempty"` // the text of the line
	// Via says in which functions the place is whose calls are inlined, and where
	// they are called: "in push, called at q.go:30, in run, called at q.go:55".
	Via string `json:"via,omitempty"`
}

// String returns "file:line", or "" for an unknown place.
func (p Pos) String() string {
	if p.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Exactly returns "file:line:col", or less where less is known: what tells two accesses of one line apart.
func (p Pos) Exactly() string {
	if p.Line == 0 || p.Col == 0 {
		return p.String()
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Move is one step of a schedule, in its stored form.
type Move struct {
	Unit   memmodel.Unit `json:"unit"`
	Back   uint16        `json:"back,omitempty"`
	Broken uint8         `json:"broken,omitempty"`
	Fail   bool          `json:"fail,omitempty"`
	// Promise is 1 if the move performs a write that has been visible, and from
	// 2 on if it makes one visible early: which of those that the unit can come to.
	Promise uint8 `json:"promise,omitempty"`
}

// Moves returns the schedule that the machine replays.
func Moves(stored []Move) []explore.Move {
	moves := make([]explore.Move, len(stored))
	for i, s := range stored {
		moves[i] = explore.Move{Unit: s.Unit, Choice: state.Choice{Back: s.Back, Broken: s.Broken, Fail: s.Fail, Promise: s.Promise}}
	}
	return moves
}

// Stored is the inverse of Moves.
func Stored(moves []explore.Move) []Move {
	stored := make([]Move, len(moves))
	for i, m := range moves {
		stored[i] = Move{m.Unit, m.Choice.Back, m.Choice.Broken, m.Choice.Fail, m.Choice.Promise}
	}
	return stored
}

// Lane is a unit of execution: a work-item, an asynchronous copy or a host thread.
type Lane struct {
	Name     string `json:"name"`
	Host     bool   `json:"host,omitempty"`
	Device   int    `json:"device"`
	Kernel   int    `json:"kernel"` // kernel-instance
	Group    int    `json:"group"`
	SubGroup int    `json:"sub_group"`
	Copy     bool   `json:"copy,omitempty"` // an asynchronous copy, not a work-item

	place memmodel.Place
}

// Command reports whether the lane is a command of the host that is no kernel.
func (l *Lane) Command() bool { return l.Host && strings.Contains(l.Name, " (command ") }

// String returns "work-item mp(0)", "asynchronous copy 1 of group 0", "the host" or
// "host thread P1".
func (l *Lane) String() string {
	if l.Host && l.Name == "host" {
		return "the host"
	}
	switch {
	case l.Command():
		return "the command " + strings.Replace(l.Name, " (command ", " (number ", 1)
	case l.Host:
		return "host thread " + l.Name
	case l.Copy:
		return "asynchronous " + l.Name
	}
	return "work-item " + l.Name
}

// Where returns the lane's place in the hierarchy of execution.
func (l *Lane) Where() string {
	if l.Host {
		return "host"
	}
	return fmt.Sprintf("work-group %d, device %d", l.Group, l.Device)
}

// Kind says what a step does.
type Kind string

// The kinds of step.
const (
	Load        Kind = "load"
	Store       Kind = "store"
	Modify      Kind = "modify"           // read-modify-write
	CompareExch Kind = "compare_exchange" // Outcome tells whether it wrote
	Early       Kind = "early"            // a write that comes later in program order becomes visible
	Fence       Kind = "fence"
	Arrive      Kind = "arrive" // at a barrier
	Depart      Kind = "depart" // from it
	Choose      Kind = "choose"
	Enqueue     Kind = "enqueue"
	Event       Kind = "event"  // what a kernel does with an event
	Finish      Kind = "finish" // the call of clFinish
	Map         Kind = "map"    // a part of a command that maps or unmaps memory
	Spawn       Kind = "spawn"  // of a host thread
	Return      Kind = "return" // from it, if it had to wait
	Mishap      Kind = "mishap" // what goes wrong within private code: the last step
	End         Kind = "end"    // of a work-item that others wait for at a barrier: the last step
)

// Step is one visible operation. A barrier has two: the arrival and, once
// all have arrived, the departure. What goes wrong within private code has one, too.
type Step struct {
	ID    int    `json:"id"`
	Lane  int    `json:"lane"`
	Move  int    `json:"move"` // index of the move that performed it, or after which it comes
	*Pos         // shared by all steps at the place
	Kind  Kind   `json:"kind"`
	Op    string `json:"op"`    // in OpenCL's words
	Brief string `json:"brief"` // the same in a few words, with the values

	Location string `json:"location,omitempty"`
	Region   string `json:"region,omitempty"`
	Atomic   bool   `json:"atomic,omitempty"`
	Order    string `json:"order,omitempty"`
	Scope    string `json:"scope,omitempty"`
	Flags    string `json:"flags,omitempty"`

	Read      *int64 `json:"read,omitempty"`
	ReadsFrom *int   `json:"reads_from,omitempty"` // the step that wrote it, 0 for the initial value
	Wrote     *int64 `json:"wrote,omitempty"`
	// Before is the step whose store comes next in modification order, when
	// the new one was inserted in the middle.
	Before int `json:"before,omitempty"`
	// Early is the step from which on others could read what this step writes,
	// if that was before.
	Early   int    `json:"early,omitempty"`
	Outcome string `json:"outcome,omitempty"` // of a compare-exchange: success, failure, spurious
	Sync    []Sync `json:"synchronises_with,omitempty"`
	Sees    []Seen `json:"sees,omitempty"`
	// Sets are private variables that the lane at fault sets between the step and
	// its next one.
	Sets []Value `json:"sets,omitempty"`

	loc    int    // index into Trace.Memory, or -1
	addr   int64  // what it works on
	blank  bool   // the values there are not known
	lack   string // why a function of a pipe fails; "" if it does not
	event  uint32
	unit   memmodel.Unit  // of the machine, at the time
	instr  *ir.Instr      // its operation
	layout layout         // at the time
	order  memmodel.Order // that took effect
	data   []int          // of a store: the steps that read what it writes is computed from
	place  []int          // of an access: the steps that read what its address is computed from
	trail  int            // how many instructions its lane had come to
	// What the machine has read and written, where Read and Wrote are what that means.
	readRaw, wroteRaw *int64
}

// UnmarshalJSON implements json.Unmarshaler: a step has a place, if only an unknown one.
func (s *Step) UnmarshalJSON(data []byte) error {
	type plain Step
	p := plain{Pos: &Pos{}}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(&p)
	*s = Step(p)
	return err
}

// layout is what decides whether two scopes are inclusive.
type layout = *memmodel.Layout

// Reads and Writes say what an access does to its location.
func (s *Step) Reads() bool { return s.ReadsFrom != nil || s.Kind == Load }

// Writes reports whether the step writes its location.
func (s *Step) Writes() bool { return s.Wrote != nil }

// Missed lists the newest writes by other lanes, before a step, of the location that it reads, which
// come after what it reads in modification order: it might have read one of them, and does not.
func (t *Trace) Missed(s *Step) []int {
	if s.ReadsFrom == nil || s.loc < 0 || !s.Atomic {
		return nil
	}
	l := &t.Memory[s.loc]
	newest := map[int]int{} // by lane
	later := l.Order[min(l.place[*s.ReadsFrom]+1, len(l.Order)):]
	for _, id := range later[:min(len(later), maxMissed)] {
		if w := t.Step(id); w.ID < s.ID && w.Lane != s.Lane {
			newest[w.Lane] = id
		}
	}
	return slices.Sorted(maps.Values(newest))
}

// maxMissed bounds the writes that are looked at for what a step might have read.
const maxMissed = 64

// Sync says that the release of step From synchronises with the step, and in
// which memory.
type Sync struct {
	From   int  `json:"from"`
	Global bool `json:"global,omitempty"`
	Local  bool `json:"local,omitempty"`
}

// Regions names the memory that the synchronisation orders.
func (s Sync) Regions() string { return regions(s.Global, s.Local) }

func regions(global, local bool) string {
	switch {
	case global && local:
		return "global and local"
	case global:
		return "global"
	case local:
		return "local"
	}
	return "no"
}

// Seen is a location whose newest value the work-item must see from now on.
type Seen struct {
	Location string `json:"location"`
	Value    int64  `json:"value"`
	Text     string `json:"text"` // the value, as its type writes it
	Step     int    `json:"step"` // that wrote it
}

// Location is a cell of shared memory.
type Location struct {
	Name   string `json:"name"`
	Region string `json:"region"`
	Kind   string `json:"memory,omitempty"` // of global memory, as in //cl:memory
	Atomic bool   `json:"atomic,omitempty"`
	Group  *int   `json:"group,omitempty"` // of local memory: the work-group
	Kernel *int   `json:"kernel,omitempty"`
	// Order is the modification order: the writing steps, 0 for the initial value.
	Order []int `json:"modification_order"`
	// Sliced: nothing depends on what is there, and zeros stand for it.
	Sliced bool `json:"sliced,omitempty"`

	cells  []int64     // values, as Order
	place  map[int]int // by step: its index in Order
	others []int       // as Order: the index of the next write by another lane, len(Order) where there is none
	region memmodel.Region
	kind   memmodel.Kind
	typ    ir.Type
	pipe   *pipeCell // of a pipe
	handle string    // what its numbers are the clmc's own names of: "event"
}

// Barrier is one passage of a barrier or collective function by a work-group or
// sub-group.
type Barrier struct {
	Arrivals   []int  `json:"arrivals"`
	Departures []int  `json:"departures"`
	Function   string `json:"function"`
	Flags      string `json:"flags"`
	Global     bool   `json:"global,omitempty"` // which memory it orders
	Local      bool   `json:"local,omitempty"`
	Image      bool   `json:"image,omitempty"`
	SubGroup   bool   `json:"sub_group,omitempty"`
}

// Relation names a relation between steps.
type Relation string

// The relations.
const (
	SequencedBefore   Relation = "sb"
	ReadsFrom         Relation = "rf"
	ModificationOrder Relation = "mo"
	SynchronisesWith  Relation = "sw"
	VisibleEarly      Relation = "early"   // from the step that performs a write to the earlier one that made it visible
	CommandOrder      Relation = "command" // by commands: enqueue, start, completion, events, clFinish
)

// Edge is one pair of a relation. sb and mo list neighbours only; what
// barriers order is in Trace.Barriers.
type Edge struct {
	Relation Relation `json:"relation"`
	From     int      `json:"from"`
	To       int      `json:"to"`
	Global   bool     `json:"global,omitempty"` // of sw
	Local    bool     `json:"local,omitempty"`
	Fine     bool     `json:"fine,omitempty"`     // of command: an enqueue by a kernel, which orders fine-grained memory only
	Location string   `json:"location,omitempty"` // of rf and mo
}

// Reason is why two accesses are unordered.
type Reason struct {
	Kind   string `json:"kind"`             // none, order, scope, flags, region, barrier, sequence, late, enqueue, grain, command, map
	Text   string `json:"text"`             // the cause
	Repair string `json:"repair,omitempty"` // what to do about it; empty where nothing can be said
	// Changes are those of the source that the repair consists of; none where it is an idea only, which cannot be followed mechanically.
	Changes []Change `json:"changes,omitempty"`
	// Tried says what came of the repair, where it was tried: "(verified)".
	Tried string `json:"tried,omitempty"`
	// Idea is a further way to go about it, in words.
	Idea  string `json:"idea,omitempty"`
	Rule  string `json:"rule,omitempty"`  // of the semantics, and the section of the specification; none where no rule is at issue
	Steps []int  `json:"steps,omitempty"` // that it speaks of

	// Through is the location by which something is handed over that fences were to order.
	Through string `json:"-"`

	missing [2]int // the steps of which the first would come before the second if it were mended
}

// Wait is a unit of execution that waits, or the one that others wait for.
type Wait struct {
	Lane int `json:"lane"`
	Pos
	Text string `json:"text"`
}
