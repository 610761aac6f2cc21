package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/store"
)

// Run explores a program. It returns early, with an incomplete result, when
// ctx is cancelled or its deadline passes.
func Run(ctx context.Context, p *ir.Program, opt Options) *Result {
	s, unready := searchOf(ctx, p, opt)
	if s == nil {
		return unready
	}
	defer s.close()
	if s.opt.Liveness != nil {
		s.live(ctx, p, s.result)
	}
	return s.result
}

// Watch reads what the workers on a job find, through the first of the options' links, until
// they are done or ctx is, and searches nothing itself.
func Watch(ctx context.Context, p *ir.Program, opt Options) *Result {
	s, unready := begin(ctx, p, opt)
	if s == nil {
		return unready
	}
	defer s.close()
	for !s.heardAll() && s.exchange.link.Wait() {
	}
	if !s.finished() && s.paused == "" {
		s.pause("the job is not over")
	}
	s.wrapUp()
	return s.result
}

func newSearch(ctx context.Context, f *facts.Facts, opt Options) *search {
	opt = opt.without()
	if opt.POR != por.None && !opt.NoCache && !opt.Aside && opt.Without&Relaxing == 0 {
		f = f.Relaxed()
	}
	s := blank(state.Knowing(f))
	s.ctx, s.opt, s.pace = ctx, opt, usual()
	if opt.pace != nil {
		s.pace = *opt.pace
	}
	s.began = s.pace.now()
	s.close = s.pace.halting(ctx, s.m)
	s.m.Keep = opt.Keep
	if opt.Aside {
		s.m.Keep |= memmodel.KeepSync
	}
	if opt.NoCache { // executions are counted, in every order
		s.m.Keep |= memmodel.KeepOrders | memmodel.KeepLocations
	}
	s.result = &Result{Spec: opt.Spec, Exact: opt.Exact, NoCache: opt.NoCache, Shared: len(opt.Links) > 0}
	return s
}

// prepare makes the search ready when it is known whether there are promises.
func (s *search) prepare() {
	if s.opt.POR != por.None && !s.opt.NoCache {
		por.Interleave(s.m)
	}
	s.result.POR = s.opt.POR
	s.por = por.Reducer{Mode: s.opt.POR, Machine: s.m}
	s.cuts, s.local = s.m.Assumes, memmodel.Loc(len(s.m.Shared))
	opt := s.opt
	s.room, s.given = s.forStates(), s.opt.Mem
	s.m.Most = s.room / 4 // what a state comes of, itself, and both in canonical form are there at a time
	opt.Mem = s.room
	s.visited = opt.visited()
	s.team = newTeam(&opt)
	if s.team.links != nil {
		s.join(s.team.links[0])
	}
}

// explore searches, from the store's last checkpoint if there is one.
func (s *search) explore() {
	if s.heed() { // before it is known what to explore
		s.notBegun()
		return
	}
	finished := false
	if s.result.Shared {
		if err := s.opt.Shareable(); err != nil {
			s.fail("it cannot be searched by several workers", err)
		}
	}
	if s.opt.Store != nil {
		s.result.Store = s.opt.Store.Dir()
		var err error
		if finished, err = s.resume(); err != nil {
			s.fail(storeFailed, err)
		}
	}
	if finished {
		s.restate()
		return
	}
	if !s.begun && !s.heardAll() && !s.hasFirst {
		if s.tryFirst() {
			s.firstWasEnough()
			return
		}
		if s.ctx.Err() != nil { // the first search has not been to its end, but comes again
			s.check()
			s.notBegun()
			return
		}
	}
	over := s.bound()
	s.team.explore(s)
	over()
	s.wrapUp()
}

// notBegun makes the result of a search that has paused before it had a path.
func (s *search) notBegun() {
	s.lacks(s.paused)
	s.restate()
}

// wrapUp makes the result of what the search has found.
func (s *search) wrapUp() {
	if err := s.visited.err(); err != nil {
		s.fail(storeFailed, err)
	}
	if s.paused != "" {
		s.checkPromises() // first, as where the search goes on from a checkpoint
		s.lastCheckpoint()
		s.lacks(s.paused)
	}
	before := s.paused
	s.finish()
	if s.result.Until, _ = s.ctx.Deadline(); s.ctx.Err() != nil {
		s.result.Until = s.pace.now()
	}
	s.result.Interrupted = errors.Is(s.ctx.Err(), context.Canceled)
	if before == "" {
		s.lastCheckpoint()
	}
	if before != s.paused {
		s.lacks(s.paused)
	}
	s.restate()
}

// search is one depth-first search. It is made of parts that lie on each other: each has its own fields and methods, and knows of
// the others those below it, and none above. From below: base, reporter, expander, wayOut, turnTaker, and this, which
// goes along the path, keeps it, and talks with the other workers. In methods of all of them s is the search, as far as the part knows it.
type search struct {
	turnTaker
	hasFirst   bool            // the first search has come before this one was made
	overBeside bool            // another worker of this process has come to its end
	uncovered  bool            // which code was executed before the last checkpoint is not known
	keeper     keeper          // of checkpoints
	exchange   *workerProtocol // with the other workers, here and elsewhere; nil if there are none
}

// Bounds on what an execution may pile up: steps that read nothing in a row, so many and
// some for each unit, after which the search looks for a repetition, and messages of one
// location that someone may still read. Real programs meet neither; a loop that stores
// without ever reading meets both.
const (
	maxEager    = 1 << 12
	eagerShare  = 1 << 4
	maxMessages = 256
)

// start makes the initial state the root of the path.
func (s *search) start() {
	root := s.newFrame()
	init := s.state()
	init.CopyFrom(s.origin())
	s.cur = &s.decoded
	s.runInvisible(init, root, 0)
	s.begun = !s.heed()
	s.push(root)
}

// run visits what is left to visit: all, if there is no path yet.
func (s *search) run() {
	s.alarm.set(s.pace.ring)
	defer s.alarm.end()
	if !s.begun && !s.stopped {
		s.start()
	}
	for len(s.stack) > 0 && !s.stopped && !s.team.over.Load() && (s.effort == 0 || s.stats.Steps < s.effort) {
		if s.exchange != nil && !s.converse() {
			break
		}
		f := s.stack[len(s.stack)-1]
		if f.next == len(f.successors) {
			if !s.turn(f) {
				if stats := s.stats; !s.pop() {
					s.stats = stats // as if nothing had begun
				}
			}
			continue
		}
		k := &f.successors[f.next]
		f.next++
		depth, stats, left, stored := len(s.stack), s.stats, len(f.successors)-f.next+1, s.visited.stored()
		s.visit(f, k)
		if s.paused != "" { // in the middle: as if the visit had not begun
			s.visited.unrecord()
			s.stack = s.stack[:depth]
			f.next--
			s.stats = stats
			break
		}
		s.estimator.child(depth-1, left, stored)
		if s.visits++; s.visits%s.pace.look == 0 || s.alarm.ringing() {
			s.check()
			s.keep()
		}
	}
	if s.paused == overElsewhere {
		s.paused, s.stopped = "", false // as if that had been seen before the visit
	}
}

// check stops the search when it was asked to or has met a bound.
func (s *base) check() {
	switch {
	case s.ctx.Err() != nil:
		s.pause(guard.Left(s.ctx).Error())
	case s.m.Effort.Tired():
		s.pause(errUndecided.Error())
	}
	if s.behind != nil && s.stats.Steps > s.behind.steps {
		s.pause("enough steps were spent on it")
	}
	if s.overfull() || s.m.Notes().Outgrown() {
		s.pause(s.memoryMet())
	}
	s.team.steps[s.number].Store(int64(s.stats.Steps))
	if s.opt.Progress != nil {
		s.count()
		s.estimator.sample(s)
		s.opt.Progress(s.progress())
	}
}

func (s *reporter) stop(why string) {
	s.stopped = true
	s.lacks(why)
}

// incomplete records a reason why this search does not explore every execution, and reports it to the other workers.
func (s *reporter) incomplete(why string) {
	if s.lacks(why) {
		s.tell(found{Incomplete: []string{why}})
	}
}

// lacks records a reason why this search does not explore every execution, and reports whether the reason is new.
func (s *reporter) lacks(why string) bool {
	if slices.Contains(s.result.Incomplete, why) {
		return false
	}
	s.result.Incomplete = append(s.result.Incomplete, why)
	return true
}

func (s *base) count() {
	s.stats.Elapsed = s.pace.now().Sub(s.began)
	if s.byFirst {
		return // the rest is that of the first search
	}
	s.stats.States = s.visited.stored() + s.stats.Shared.States
	s.stats.PeakBytes, _ = s.visited.usage(0)
}

// progress returns the statistics with what other workers have done so far.
func (s *base) progress() Stats {
	now := s.stats
	now.Steps = 0
	for i := range s.team.steps {
		now.Steps += int(s.team.steps[i].Load())
	}
	return now
}

// visit expands a successor unless its state has been explored before with a
// smaller sleep set (Godefroid's state matching).
// docs/exploration/turns.md, "Sleep sets".
func (s *search) visit(f *frame, k *successor) {
	sleep := k.sleep
	if !s.visited.same(k.fp, f.buf[k.from:k.to]) {
		s.fail(storeFailed, errCollision)
		return
	}
	e, seen := s.lookup(k.fp, sleep)
	if seen {
		if por.Set(e.Sleep).Within(sleep) {
			s.stats.Cuts++
			s.forget(k)
			s.matchState(f, k, e.Note)
			return
		}
		sleep &= por.Set(e.Sleep)
	}
	s.visited.record(k.fp, store.Entry{Sleep: uint64(sleep), Note: openNote(len(s.stack))})
	s.stats.States = s.visited.stored()
	if s.opt.MaxStates > 0 && s.stats.States+s.firstStates() > s.opt.MaxStates {
		s.atBound(fmt.Sprintf("the bound of %d states was met", s.opt.MaxStates))
		return
	}
	s.load(f, k)
	child := s.newFrame()
	s.takeCover(child, f, k)
	child.fp, child.dpor.entry, child.dpor.members = k.fp, sleep, len(s.members)
	child.began = s.stats.Steps
	child.fate.cyclicAsleep = s.cyclicAsleep(f, k, sleep)
	s.push(child)
	s.stats.Depth = max(s.stats.Depth, len(s.stack))
	s.expand(child, sleep)
	s.heed()
}

// firstStates returns how many states of the first search count against the bound on states: none where that goes to its end in any case.
func (s *base) firstStates() int {
	if s.opt.All {
		return 0
	}
	return s.stats.First
}

// heed looks up from the work when the machine has been halted meanwhile, or could not do it within its
// bounds. It reports whether the search has paused: then what has come of the work proves nothing, and must be
// taken back.
func (s *base) heed() (paused bool) {
	if s.m.Halted() || s.m.Notes().Outgrown() {
		s.check()
	}
	return s.paused != ""
}

// expand computes the successors of s.cur that must be tried.
func (s *turnTaker) expand(f *frame, sleep por.Set) {
	todo, all := s.por.Candidates(s.cur)
	if len(todo) == 0 {
		s.terminal(f)
		return
	}
	for _, u := range all {
		if sleep.Has(u) {
			s.stats.Saved.Asleep++
		}
	}
	if s.opt.POR == por.DPOR {
		s.begin(f, todo, all, sleep)
		return
	}
	if len(todo) < len(all) {
		s.try(f, todo, sleep)
		// A state that is not fully expanded must lead to one that was not
		// visited before, lest a unit be ignored for ever around a cycle.
		if slices.ContainsFunc(f.successors, func(k successor) bool { return !s.visited.has(k.fp) }) {
			s.arrange(f)
			return
		}
		s.drop(f)
	}
	found := s.faults
	s.try(f, all, sleep)
	if s.opt.POR != por.None {
		s.tryHelp(f, sleep)
	}
	if s.faults == found {
		s.checkProgress(f, all, sleep)
	}
	s.arrange(f)
}

// try performs every outcome of the next operation of each unit of todo that
// does not sleep, and collects the states that they lead to.
func (s *expander) try(f *frame, todo []memmodel.Unit, sleep por.Set) {
	for _, u := range todo {
		if sleep.Has(u) {
			continue
		}
		from := len(s.choices)
		if s.opt.POR == por.None {
			s.choices = s.everyMove(u, s.choices)
		} else {
			s.choices = s.m.Choices(s.cur, u, s.choices)
			all := len(s.choices)
			if !s.probing { // what has seen more may have no way out
				s.choices = s.choices[:from+len(s.por.Different(s.cur, u, s.choices[from:]))]
			}
			s.stats.Saved.Dominated += all - len(s.choices)
		}
		if n := len(s.choices) - from; n > 1 && n <= maxRivals && f.dpor.begun() && s.por.ConflictingOutcomes(s.cur, u) {
			s.tryRivals(f, u, s.choices[from:], sleep)
		} else {
			s.tryEach(f, u, s.choices[from:], sleep)
		}
		s.choices = s.choices[:from]
		if s.opt.POR != por.None && !s.watches && !s.onlyRaces() && s.m.Promises().Looking(s.cur, u) {
			s.tryPromises(f, u, sleep)
		}
		sleep = s.por.Asleep(sleep, u)
	}
}

// everyMove appends all outcomes of the next operation of unit u, and all promises that it can make unless only races are looked for.
func (s *expander) everyMove(u memmodel.Unit, out []state.Choice) []state.Choice {
	if s.onlyRaces() {
		return s.m.Choices(s.cur, u, out)
	}
	return por.Moves(s.m, s.cur, u, out)
}

// tryEach performs each outcome of the next operation of unit u.
func (s *expander) tryEach(f *frame, u memmodel.Unit, choices []state.Choice, sleep por.Set) {
	for _, c := range choices {
		if s.stopped {
			return
		}
		if s.covered(&f.dpor, u, c) {
			continue
		}
		if s.idles(f, u, c) {
			s.round(f, c)
			continue
		}
		s.moves, s.wrote = s.moves[:0], s.wrote[:0]
		s.outcome(f, s.cur, u, c, sleep)
		if s.alarm.ringing() {
			s.lookUp()
		}
	}
}

// idles reports whether an outcome of the next operation of unit u at s.cur is
// plainly a round of waiting.
func (s *expander) idles(f *frame, u memmodel.Unit, c state.Choice) bool {
	return f.dpor.begun() && f.dpor.Loc >= 0 && s.por.Idles(s.cur, u, f.dpor.Loc, c)
}

// round takes note of an outcome that is a round of waiting.
func (s *expander) round(f *frame, c state.Choice) {
	s.stats.Steps++
	s.stats.Saved.Waits++
	s.wait(f, c.Back == 0)
}

// outcome performs an outcome of the next operation of unit u at a state that
// s.moves have led to from s.cur, and adds what that leads to to the frame.
func (s *expander) outcome(f *frame, at *state.State, u memmodel.Unit, c state.Choice, sleep por.Set) {
	next := s.state()
	next.CopyFrom(at)
	s.m.Try(next, u, c)
	s.addKids(f, at, next, u, c, sleep)
}

// addKids adds to the frame what next leads to, which an outcome of the next
// operation of unit u has led to from `at`.
func (s *expander) addKids(f *frame, at, next *state.State, u memmodel.Unit, c state.Choice, sleep por.Set) {
	x := s.m.Target(at, u, c)
	s.tries(at, u)
	s.writes(at, u, x, s.m.Promises().MayOwe(at, u))
	if s.reading = -1; at == s.cur {
		s.reading = s.por.Message(at, u, c)
	}
	asleep := s.por.Wake(sleep, x, s.por.Watched(at, u))
	s.moves = append(s.moves, Move{u, c})
	if f.dpor.begun() && at == s.cur && f.dpor.Loc >= 0 && (x < 0 || s.por.Restores(at, next, u, x, c)) {
		returns := s.por.Returns(at, next, u)
		if returns {
			f.fate.back, f.fate.round = true, true
		}
		if (returns || s.por.Spins(at, next, u)) && !s.por.Learns(at, u, f.dpor.Loc, c) {
			s.round(f, c)
			s.release(next)
			return
		}
	}
	s.stats.Steps++
	if next.Cast != s.cur.Cast {
		asleep = 0 // units are named otherwise now
	}
	s.runInvisible(next, f, asleep)
}
