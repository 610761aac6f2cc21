package explore

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// A simulation performs executions one by one, with moves drawn at random from those that
// the memory model allows, and remembers none of the states. So it can be tried on a program
// that is too large to be explored. What it finds wrong is wrong; what it does not find may be there.

// Draw says how many executions a simulation performs, and which.
type Draw struct {
	Runs int    // executions that come to an end; 0 means DefaultRuns
	Seed uint64 // the same seed draws the same executions
	// MaxSteps bounds the steps of one execution, 0 means DefaultSteps. Rounds of waiting
	// that change nothing do not count.
	MaxSteps int
}

// Values of Draw if nothing is said.
const (
	DefaultRuns  = 10_000
	DefaultSteps = 10_000
)

// maxVain bounds the executions that come to nothing for each one that is asked for: most
// that a program with many assumptions begins fail one of them.
const maxVain = 100

// NotAll is why a simulation is never complete.
const NotAll = "these are random executions, not all"

// Simulated counts what a simulation has drawn.
type Simulated struct {
	Draw
	CutShort int // executions that had not ended after MaxSteps
}

// simulatedMem bounds a state of a simulation for which no other bound is given: one of more than ten thousand work-items
// in a program with clocks takes seconds to copy.
const simulatedMem = 512 << 20

// Simulate performs random executions of a program. Its result is never complete: the
// verdict is Violated or Inconclusive.
func Simulate(ctx context.Context, p *ir.Program, opt Options, draw Draw) *Result {
	if draw.Runs == 0 {
		draw.Runs = DefaultRuns
	}
	if draw.MaxSteps == 0 {
		draw.MaxSteps = DefaultSteps
	}
	opt.Store, opt.NoCache, opt.Workers, opt.Exact = nil, false, 1, false
	if opt.Mem == 0 {
		opt.Mem = simulatedMem
	}
	s, unready := begin(ctx, p, opt)
	if s == nil {
		unready.Simulated, unready.Paused = &Simulated{Draw: draw}, false
		unready.Incomplete = append([]string{NotAll}, unready.Incomplete...)
		return unready
	}
	defer s.close()
	w := &stroll{search: s, draw: draw, rand: rand.New(rand.NewPCG(draw.Seed, 0))}
	s.result.Simulated = &Simulated{Draw: draw}
	w.walk()
	if s.pastRaces() {
		s.result.withoutDoubles()
		s.result.After = s.result.Has(state.DataRace)
	}
	if !opt.KeepSchedule {
		for i := range s.result.Violations {
			s.simplify(&s.result.Violations[i])
		}
	}
	s.checkPromises()
	s.count()
	s.stats.States, s.stats.PeakBytes = 0, 0 // none is kept
	s.restate()
	s.result.Paused = false
	return s.result
}

// stroll is a simulation under way.
type stroll struct {
	*search
	draw Draw       // how choices are drawn
	rand *rand.Rand // from which
	on   float64    // how likely a unit is to go on, if it can, in the present execution

	moves []Move      // of the present execution
	tried state.State // scratch space: a state after an outcome,
	was   []byte      // and encodings
	is    []byte      // to compare them by
	idle  []bool      // by unit: it waits if it reads the newest message
}

// walk performs the executions.
func (w *stroll) walk() {
	vain := 0
	for !w.stopped && w.paused == "" {
		if w.stats.Ends+w.faults+w.result.Simulated.CutShort >= w.draw.Runs {
			break
		}
		if vain > maxVain*w.draw.Runs {
			w.incomplete("nearly all random executions fail an assumption, or end in a state that the memory model forbids")
			break
		}
		before := w.stats.Blocked
		w.execute()
		vain += w.stats.Blocked - before
	}
	if w.paused != "" {
		w.incomplete(w.paused)
	}
	w.incomplete(NotAll)
}

// execute performs one execution.
func (w *stroll) execute() {
	w.on = [...]float64{0, 0.5, 0.95}[w.rand.IntN(3)]
	t := w.concretiser()
	w.m.Normalise(&w.canon, t.s)
	last := memmodel.Unit(-1)
	for steps := 0; ; steps++ {
		n := t.s
		switch {
		case t.lost:
			return
		case n.MessageBoundHit != state.NoLimit:
			w.incomplete(n.MessageBoundHit.String())
			return
		case n.Violation.Kind != state.NoViolation && !n.Open():
			if !w.wrong(t) || w.stopped || w.paused != "" {
				return
			}
			t.passOne()
			continue
		case steps >= w.draw.MaxSteps || n.Mem.Longest() > maxMessages:
			w.result.Simulated.CutShort++
			return
		}
		if steps%w.pace.look == 0 {
			if w.check(); w.paused != "" {
				return
			}
		}
		if last = w.step(t, last); last < 0 {
			return
		}
	}
}

// step performs a move drawn at random and returns its unit, or -1 if the execution ends here.
// A move that the memory model forbids is none, and one that leads back to where
// it began need not be made.
func (w *stroll) step(t *concretiser, last memmodel.Unit) memmodel.Unit {
	n := t.s
	w.gather(n)
	if len(w.moves) == 0 {
		w.ended(t)
		return -1
	}
	w.was = n.Append(w.was[:0])
	idle := memmodel.Unit(-1)
	w.idle = append(w.idle[:0], make([]bool, n.Cast.Count())...)
	for len(w.moves) > 0 {
		i := w.pick(last)
		mv := w.moves[i]
		w.tried.CopyFrom(n)
		w.m.Try(&w.tried, mv.Unit, mv.Choice)
		if w.heed() {
			return -1
		}
		w.stats.Steps++
		if w.tried.Abandoned {
			if w.tried.Mem.GraphFull() {
				w.incomplete("more than 64 seq_cst operations constrain each other in some execution")
			}
			w.moves = slices.Delete(w.moves, i, i+1)
			continue
		}
		if w.m.Normalise(&w.canon, &w.tried); w.tried.Cast == n.Cast {
			if w.is = w.tried.Append(w.is[:0]); bytes.Equal(w.was, w.is) {
				idle, w.idle[mv.Unit] = mv.Unit, w.idle[mv.Unit] || mv.Choice.Back == 0
				w.moves = slices.Delete(w.moves, i, i+1)
				continue
			}
		}
		t.concretise([]Move{mv})
		w.m.Normalise(&w.canon, t.s)
		return mv.Unit
	}
	switch {
	case idle < 0 || n.Open():
		w.stats.Blocked++
	case w.anyBusy(n):
		w.result.Simulated.CutShort++ // it goes on like this for ever
	case w.anyAbandoned(n):
		w.stats.Blocked++
	default:
		w.waiting(t, idle, n.PC(idle))
	}
	return -1
}

// gather lists all moves of n.
func (w *stroll) gather(n *state.State) {
	w.moves = w.moves[:0]
	for u := range n.Cast.Count() {
		if n.Status(u) != state.Ready {
			continue
		}
		w.choices = por.Moves(w.m, n, u, w.choices[:0])
		for _, c := range w.choices {
			w.moves = append(w.moves, Move{u, c})
		}
	}
}

// pick draws one of the moves: first whose it is, then which.
func (w *stroll) pick(last memmodel.Unit) int {
	unit, units := memmodel.Unit(-1), 0
	for i, mv := range w.moves {
		if i > 0 && w.moves[i-1].Unit == mv.Unit {
			continue
		}
		if units++; w.rand.IntN(units) == 0 {
			unit = mv.Unit
		}
	}
	if last >= 0 && w.rand.Float64() < w.on && slices.ContainsFunc(w.moves, func(mv Move) bool { return mv.Unit == last }) {
		unit = last
	}
	from := slices.IndexFunc(w.moves, func(mv Move) bool { return mv.Unit == unit })
	to := from
	for to < len(w.moves) && w.moves[to].Unit == unit {
		to++
	}
	return from + w.rand.IntN(to-from)
}

// anyBusy reports whether some unit that is left does more than wait.
func (w *stroll) anyBusy(n *state.State) bool {
	for u := range n.Cast.Count() {
		if n.Status(u) == state.Ready && w.busy(n, u) {
			return true
		}
	}
	return false
}

// anyAbandoned reports whether some unit that is left comes, if it reads the newest message, only to what is
// abandoned: it does not wait.
func (w *stroll) anyAbandoned(n *state.State) bool {
	for u := range n.Cast.Count() {
		if n.Status(u) == state.Ready && !w.idle[u] {
			return true
		}
	}
	return false
}

// ended handles an execution of which nobody can take a step any more.
func (w *stroll) ended(t *concretiser) {
	n := t.s
	switch {
	case n.Open():
		w.stats.Blocked++
	case !n.Done():
		u, pc := n.Waiting()
		w.waiting(t, u, pc)
	default:
		w.stats.Ends++
		w.m.Notes().Reached(n)
		if n.PastRace {
			return
		}
		w.key = n.OutcomeKey(w.m.Program, w.key[:0])
		if !w.outcomes.has(w.key) {
			w.outcomes.add(string(w.key), w.m.Notes().Outcome(n, nil))
		}
	}
}

// waiting reports that unit u, and all others that are left, wait for ever.
func (w *stroll) waiting(t *concretiser, u memmodel.Unit, pc int) {
	w.told(t, state.Violation{Kind: state.Deadlock, Unit: u, PC: pc})
}

// wrong reports what is wrong with the state that t has come to, and whether the execution goes on behind it.
func (w *stroll) wrong(t *concretiser) (passed bool) {
	w.m.Notes().Reached(t.s)
	return w.told(t, t.s.Violation)
}

// told reports a violation at the end of an execution, or the race behind it, and whether it goes on all the same.
func (w *stroll) told(t *concretiser, what state.Violation) (passed bool) {
	if passed = w.judged(t, what); !passed {
		w.faults++
	}
	return passed
}

// judged is told, but for what is counted.
func (w *stroll) judged(t *concretiser, what state.Violation) (passed bool) {
	v := Violation{Violation: what, After: t.s.PastRace && w.pastRaces()}
	passed = w.forgives(v.Kind)
	w.describe(&v, t.s)
	if w.reported(&v) {
		return passed
	}
	found := false
	v.Schedule, found = t.schedule()
	if v.Untold = !found && w.m.Halted(); v.Untold {
		v.Schedule, v.Unsettled = nil, v.Kind.MayComeOfRace()
		w.addViolation(&v)
		return passed
	}
	if !found {
		panic("explore: a random execution cannot be told")
	}
	if w.pastRaces() {
		return w.setAside(&v, v.key()) || passed
	}
	if race := w.raceBehind(&v, t); race != nil {
		w.beside(&v, race)
		w.report(race)
		return passed
	}
	w.report(&v)
	return passed
}
