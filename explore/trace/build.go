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
		r, err := repeat(m, v, until, most, func(r *replay) error { return r.perform(v) })
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
		tell, why, shape := newTeller(r), explainer{r}, shapeFinder{r}
		if v.Failed != state.NoViolation { // what goes wrong without the race as well is a violation of its own
			r.t.Consequence = tell.consequence()
		}
		tell.conclude()
		if r.t.Why == nil {
			r.t.Why = why.causes()
		}
		tell.privacies()
		r.keepPast()
		slice(r, nil)
		if shapes := shape.shapes(); len(shapes) > 0 {
			r.t.Why, r.t.Slice, r.t.Depends = shapes, nil, false
			slice(r, nil) // with what they speak of
		}
		if len(r.t.Why) == 0 {
			r.t.Why = shape.hinges()
		}
		r.t.Depends = r.t.Depends || v.Depends
		tell.mishap()
		tell.plainNumbers()
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
		if a, b := r.stepOf(r.at.other), r.t.Step(step); race && a != nil && b != nil {
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

// replay performs a schedule, and finds what goes wrong in it. It is made of parts that lie on each other, each with fields and methods of its own: the
// execution, its private code, its commands, its steps and what its lanes see. A part calls those below it and none above. What is told of a replay
// lies above it: teller, explainer, diagnosis and slicing.
type replay struct {
	viewLog
	schedule []explore.Move // the moves that are performed
	at       culprit        // what has gone wrong
	failed   culprit        // what a data race makes a consequence of
	onward   *onward        // of a violation that shows in what follows the schedule
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

func newReplay(m *state.Machine, v explore.Violation, a attention, until time.Time) *replay {
	r := &replay{schedule: v.Schedule}
	r.execution = newExecution(m, v, until)
	r.privateLog.begin(a)
	r.commandLog.begin()
	r.stepLog.begin()
	r.viewLog.begin()
	r.s = m.Start(r)
	r.assign(r.s.Cast)
	return r
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
	if r.at.violation.Fault.Kind == memmodel.NoFault { // else the execution means nothing any more
		r.returned(before, r.t.Step(id))
	}
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
