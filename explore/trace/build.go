package trace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// ErrUnfit is wrapped by the errors of a schedule that the program cannot perform.
var ErrUnfit = errors.New("the schedule does not fit the model")

// Build replays a violation's schedule and says what happened. It fails when
// the program cannot perform the schedule, or performs it without the violation.
func Build(p *ir.Program, spec memmodel.Spec, v explore.Violation) (*Trace, error) {
	return BuildUntil(p, spec, v, time.Time{})
}

// BuildUntil does so as long as there is time. A trace without steps is all that can be told then.
func BuildUntil(p *ir.Program, spec memmodel.Spec, v explore.Violation, until time.Time) (*Trace, error) {
	return build(p, spec, v, until, maxAttended)
}

func build(p *ir.Program, spec memmodel.Spec, v explore.Violation, until time.Time, most int) (*Trace, error) {
	if v.Kind == state.Unreachable {
		return unreachable(p, v), nil
	}
	if v.Untold {
		return untold(p, spec, v), nil
	}
	var first error
	for m := range explore.Replayers(p, spec, v.Schedule) {
		r, err := repeat(m, v, until, most, nil, func(r *replay) error { return r.perform(v) })
		if errors.Is(err, errLate) {
			return untold(p, spec, v), nil
		}
		if err != nil {
			first = cmp.Or(first, err)
			continue
		}
		r.t.After = v.After
		r.t.Schedule, r.t.Unsettled, r.t.Beside = Stored(v.Schedule), v.Unsettled, v.Beside
		r.overtakings()
		r.relate()
		if v.Failed != state.NoViolation { // what goes wrong without the race as well is a violation of its own
			r.t.Consequence = r.consequence()
		}
		r.conclude()
		if r.t.Why == nil {
			r.t.Why = r.causes()
		}
		r.privacies()
		r.keepPast()
		r.slice()
		if shapes := r.shapes(); len(shapes) > 0 {
			r.t.Why, r.t.Slice, r.t.Depends = shapes, nil, false
			r.slice() // with what they speak of
		}
		if len(r.t.Why) == 0 {
			r.t.Why = r.hinges()
		}
		r.t.Depends = r.t.Depends || v.Depends
		r.mishap()
		r.plainNumbers()
		for i := range r.t.Why {
			r.t.Why[i].placed()
		}
		return r.t, nil
	}
	return nil, first
}

// perform goes through the schedule to the violation.
func (r *replay) perform(v explore.Violation) error {
	if r.m.Halted() {
		return errLate
	}
	r.recall()
	for i, move := range v.Schedule {
		if r.late() {
			return errLate
		}
		if v.After {
			r.pass(state.NoViolation, 0)
		}
		if err := r.do(i, move); err != nil {
			return err
		}
	}
	if v.After {
		r.pass(v.Kind, v.PC)
	}
	if v.Kind == state.MayRun && v.Lasso != nil && r.s.Violation.Kind == state.NoViolation {
		r.t.Liveness = livenessOf(v.Lasso)
		r.s.Violation.Kind = v.Kind
		r.recall()
	}
	if (v.Kind == state.Deadlock || v.Kind == state.NoWayOut) && r.s.Violation.Kind == state.NoViolation {
		if r.onward = r.ahead(v.After); !r.onward.leaves {
			r.s.Violation.Kind = v.Kind
			r.recall()
		}
	}
	return r.check()
}

// pass has the execution go on after data races, and their consequences, until what is wrong is of a kind, and at that place of the code.
func (r *replay) pass(kind state.Kind, pc int) {
	for v := &r.s.Violation; v.Kind != state.NoViolation && (v.Kind != kind || pc != 0 && v.PC != pc); {
		race, step := v.Kind == state.DataRace, r.at.step
		if a, b := r.t.Step(r.events[r.at.other]), r.t.Step(step); race && a != nil && b != nil {
			r.t.Races = append(r.t.Races, [2]int{a.ID, b.ID})
		}
		if v.Kind == state.UninitialisedRead && step > 0 {
			r.t.Blanks = append(r.t.Blanks, step)
		}
		if !r.m.Pass(r.s) {
			return
		}
		r.at, r.failed = culprit{}, culprit{}
		r.assign(r.s.Cast)
		r.recallAt(step)
	}
}

// unreachable is the trace of a cl.Reachable that nothing reaches: there is
// no execution to show.
func unreachable(p *ir.Program, v explore.Violation) *Trace {
	t := emptyTrace(v.Kind)
	t.Message = fmt.Sprintf("No execution reaches %q.", v.Line)
	for _, f := range p.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op == ir.OpReach && p.Strings[in.Str] == v.Line {
				t.At = position(p, in.Pos)
			}
		}
	}
	return t
}

func emptyTrace(k state.Kind) *Trace {
	return &Trace{ID: k.ID(), Kind: k.String(), kind: k,
		Schedule: []Move{}, Lanes: []Lane{}, Steps: []Step{}, Memory: []Location{}, Edges: []Edge{}}
}

// event names an event as the memory model counts them.
type event struct {
	lane   int
	number uint32
}

// replay is a trace under construction.
type replay struct {
	t *Trace
	p *ir.Program
	m *state.Machine
	s *state.State
	board
	shadow

	events    map[event]int // the step that performed it
	last      map[int]int   // lane -> its last step
	known     map[syncKey]bool
	told      []told // synchronisations that the machine reports during a step
	at        culprit
	failed    culprit                 // what a data race makes a consequence of
	running   map[int][]uint64        // host lane -> commands enqueued since its last clFinish
	awaited   map[int]state.Operation // host lane -> its last call of clFinish or clWaitForEvents
	issued    []issued
	parent    map[int]int    // lane of a host thread -> step that started it
	passage   map[int]bool   // the arrivals at, and departures from, the barrier that was passed last
	entered   map[int]bool   // lanes whose first step is known
	arrivals  map[int][]view // by lane: what those who wait at a barrier have seen when they came to it
	private   map[int]*privacy
	before    sight          // of look, for the next step
	sights    int            // locations of which it was found out what a unit has seen
	sighted   map[view]bool  // of sees
	now       []view         // likewise
	news      map[int][]view // by step: what Sees is made of, once it is known what of it matters
	places    map[int32]*Pos // by index in Program.Positions
	past      *past
	ledger    ledger
	trails    [][]int32 // by lane: the instructions that it has come to, in their order
	trailed   int       // of all lanes
	untrailed bool      // there were too many
	schedule  []explore.Move
	onward    *onward   // of a violation that shows in what follows the schedule
	until     time.Time // when there is no time left; zero: never
	attention
	about []string // names of the values that an execution without violation is shown for; nil: all of it
}

// culprit is what went wrong, in terms of lanes.
type culprit struct {
	violation        state.Violation
	lane             int
	op               state.Operation // at Violation.PC
	other            event           // of a race: the earlier access
	step             int             // the step that brought it about
	waiting, missing int             // lanes, of divergence
	waits, misses    state.Operation
	ended            bool // the missing one has
}

// told is one call of the memory's observer: that what unit u has done as event e synchronises with a lane. Of a
// barrier there is one for each two who meet.
type told struct {
	e             uint32
	from, lane    int32
	global, local bool
}

type syncKey struct {
	from, lane    int
	global, local bool
}

func newReplay(m *state.Machine, v explore.Violation, a attention, until time.Time) *replay {
	r := &replay{
		t: emptyTrace(v.Kind), p: m.Program, m: m, schedule: v.Schedule,
		board:  board{index: map[uint64]int{}},
		shadow: shadow{m: m, index: map[cellKey]int{}},
		events: map[event]int{}, last: map[int]int{}, known: map[syncKey]bool{},
		running: map[int][]uint64{}, awaited: map[int]state.Operation{}, parent: map[int]int{}, entered: map[int]bool{}, arrivals: map[int][]view{}, passage: map[int]bool{}, private: map[int]*privacy{}, sighted: map[view]bool{}, news: map[int][]view{}, places: map[int32]*Pos{}, past: &past{},
		ledger: ledger{branches: map[int]*branching{}}, attention: a, until: until,
	}
	most := len(v.Schedule) + len(v.Schedule)/16 // barriers have two
	r.t.Steps, r.t.Edges = make([]Step, 0, most), make([]Edge, 0, most)
	r.t.spec, r.past.program = m.Spec, m.Program
	r.s = m.Start(r)
	r.assign(r.s.Cast)
	return r
}

// Synchronises is told by the memory during a step. Units are those of the
// cast before the step: the cast changes only when memory is done with.
func (r *replay) Synchronises(u memmodel.Unit, e uint32, t memmodel.Unit, global, local bool) {
	r.told = append(r.told, told{e, int32(r.of[u]), int32(r.of[t]), global, local})
}

// do performs one move of the schedule.
func (r *replay) do(i int, move explore.Move) error {
	if err := r.fits(i, move); err != nil {
		return err
	}
	if r.of[move.Unit] < 0 {
		return r.chooses(i, move)
	}
	before := r.look(move.Unit)
	if lane := r.of[move.Unit]; !r.entered[lane] {
		r.past.see(lane, len(r.t.Steps)+1, true, r.view(move.Unit))
	}
	step, o := r.take(i, move)
	id := step.ID
	r.told = r.told[:0]
	r.m.Try(r.s, move.Unit, move.Choice)
	if r.m.Halted() {
		return errLate
	}
	if r.s.Abandoned {
		return fmt.Errorf("%w: the memory model forbids move %d", ErrUnfit, i+1)
	}
	r.assign(r.s.Cast)
	r.recallAt(id)
	r.departures(before, i)
	r.commands(before, id, &o)
	r.synchronised(id)
	r.seen(move.Unit, before)
	r.learns(id)
	return nil
}

// chooses performs the move of a command that completes, or has failed for
// several reasons and takes over one of them (rule 12.16). It is told in the lane that enqueued
// the command.
func (r *replay) chooses(i int, move explore.Move) error {
	_, by := r.s.Cast.Command(move.Unit)
	c := r.commandOf(r.s.Cast.Units[move.Unit].ID)
	id := 0
	if by >= 0 && c != nil {
		call, status := r.t.Step(c.step), r.s.Failure(move.Unit, move.Choice)
		text := fmt.Sprintf("the command of step %d fails with status %d", c.step, status)
		if status == 0 {
			text = fmt.Sprintf("the command of step %d is complete", c.step)
		}
		id = r.add(Step{Lane: r.of[by], Move: i, Pos: call.Pos, Kind: Event, Op: text, Brief: text}, call.instr, by).ID
	}
	r.m.Try(r.s, move.Unit, move.Choice)
	if r.m.Halted() {
		return errLate
	}
	r.assign(r.s.Cast)
	r.recallAt(id)
	return nil
}

// fits reports whether the machine allows a move now.
func (r *replay) fits(i int, move explore.Move) error {
	if move.Unit < 0 || move.Unit >= r.s.Cast.Count() {
		return fmt.Errorf("%w: move %d is by unit %d, which does not exist", ErrUnfit, i+1, move.Unit)
	}
	if !slices.Contains(por.Moves(r.m, r.s, move.Unit, nil), move.Choice) {
		return fmt.Errorf("%w: %s cannot make move %d", ErrUnfit, r.s.Cast.Units[move.Unit].Name, i+1)
	}
	return nil
}

// recall notes a violation that the machine has just reported, if any.
func (r *replay) recall() { r.recallAt(0) }

// recallAt does so after a step. The machine may replace a violation by one
// that says more, and may have moved its unit in the cast.
func (r *replay) recallAt(step int) {
	v := r.s.Violation
	if v == r.at.violation || v.Kind == r.at.violation.Kind && r.of[v.Unit] == r.at.lane && v.PC == r.at.violation.PC {
		return
	}
	if v.Failed != state.NoViolation {
		r.failed = r.at
	}
	c := culprit{violation: v, step: step}
	if v.Kind == state.Deadlock || v.Kind == state.NoWayOut || v.Kind == state.MayRun {
		r.at = c
		return
	}
	c.lane = r.of[v.Unit]
	f := r.p.Funcs[r.funcs[c.lane]]
	c.op = state.Operation{Func: f, PC: v.PC, Instr: &f.Code[v.PC], Loc: -1}
	switch v.Kind {
	case state.DataRace, state.UnfencedImage:
		c.other = event{r.of[v.Fault.Other], v.Fault.OtherEvent}
	case state.MappingViolation, state.InvalidAccess, state.FreedMemory:
		if o := r.m.Operation(r.s, v.Unit); o.PC == v.PC {
			c.op.A = o.A
		}
	case state.UnwaitedCopy:
		c.misses = r.m.Operation(r.s, v.Missing)
	case state.BarrierDivergence:
		c.waiting, c.missing = r.of[v.Waiting], r.of[v.Missing]
		c.waits = r.m.Operation(r.s, v.Waiting)
		c.misses = r.m.Operation(r.s, v.Missing)
		c.ended = r.s.Status(v.Missing) == state.Ended
	}
	r.at = c
}

// check reports whether the replay ended in the violation it should end in.
func (r *replay) check() error {
	got := r.s.Violation.Kind
	switch {
	case got == r.t.kind && !r.s.Open():
		return nil
	case got == state.NoViolation:
		return fmt.Errorf("%w: it ends without a violation, not in %s", ErrUnfit, article(r.t.kind))
	case got != r.t.kind:
		return fmt.Errorf("%w: it ends in %s, not in %s", ErrUnfit, article(got), article(r.t.kind))
	case r.s.Open():
		return fmt.Errorf("%w: it breaks off before a release sequence is broken as a read assumed", ErrUnfit)
	}
	return nil
}

// article puts the right article before a kind of violation.
func article(k state.Kind) string {
	switch k {
	case state.AssertionFailed:
		return "a failed assertion"
	case state.UninitialisedRead:
		return "a read of uninitialised memory"
	}
	if s := k.String(); s[0] == 'i' || s[0] == 'e' || s[0] == 'u' {
		return "an " + s
	}
	return "a " + k.String()
}
