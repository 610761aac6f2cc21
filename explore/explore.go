package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

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
	if opt.Spec.Name == "" {
		opt.Spec = memmodel.Specs[0]
	}
	s := newSearch(ctx, facts.Of(p, opt.Spec), opt)
	defer s.close()
	s.allowPromises()
	s.prepare()
	s.explore()
	return s.result
}

func newSearch(ctx context.Context, f *facts.Facts, opt Options) *search {
	s := &search{
		ctx: ctx, opt: opt, began: now(),
		m:        state.Knowing(f),
		outcomes: newOutcomes(),
		known:    map[string]bool{},
	}
	s.close = context.AfterFunc(ctx, s.m.Halt)
	s.m.Keep = opt.Keep
	if opt.NoCache { // executions are counted, in every order
		s.m.Keep |= memmodel.KeepOrders | memmodel.KeepLocations
	}
	s.result = &Result{Spec: opt.Spec, Exact: opt.Exact, NoCache: opt.NoCache}
	return s
}

// prepare makes the search ready when it is known whether there are promises.
func (s *search) prepare() {
	if s.opt.POR != por.None && !s.opt.NoCache {
		por.Interleave(s.m)
	}
	s.result.POR = s.opt.POR
	s.por = por.Reducer{Mode: s.opt.POR, Machine: s.m}
	s.dpor.pool, s.dpor.cuts, s.dpor.local = &pool{}, s.m.Assumes, len(s.m.Shared)
	opt := s.opt
	opt.Mem = s.forStates()
	s.team = newTeam(opt.workers())
	if s.visited = opt.visited(); s.team.size() > 1 {
		s.visited = newShare(&opt)
	}
}

// explore searches, from the store's last checkpoint if there is one.
func (s *search) explore() {
	if s.m.Halted() { // before it is known what to explore
		s.check()
		s.incomplete(s.paused)
		s.restate()
		return
	}
	finished := false
	if s.opt.Store != nil {
		s.result.Store = s.opt.Store.Dir()
		var err error
		if finished, err = s.resume(); err != nil {
			s.fail(err)
		}
	}
	if finished {
		s.restate()
		return
	}
	if !s.begun && s.tryFirst() {
		s.settled()
		return
	}
	s.team.explore(s)
	if err := s.visited.err(); err != nil {
		s.fail(err)
	}
	if s.paused != "" {
		s.checkPromises() // first, as where the search goes on from a checkpoint
		s.lastCheckpoint()
		s.incomplete(s.paused)
	}
	s.finish()
	if s.paused == "" {
		s.lastCheckpoint()
	}
	s.restate()
}

func newOutcomes() map[string][]state.Value { return map[string][]state.Value{} }

// search is one depth-first search.
type search struct {
	ctx     context.Context
	close   func() bool // after which the context no longer halts the machine
	opt     Options
	m       *state.Machine
	por     por.Reducer
	visited visited
	canon   memmodel.Canon
	sorter  state.Sorter
	result  *Result
	stats   Stats
	began   time.Time
	begun   bool // there is a path
	stopped bool
	paused  string // why, if the search could go on
	faults  int    // executions that went wrong so far
	visits  int    // successors looked at so far
	alarm   alarm
	behind  *behind // what the search is for, if not for all that can go wrong
	spent   int     // steps of searches behind violations
	whole   *search // with promises, which this one without comes before
	byFirst bool    // the result is that of the first search
	keeper

	// The workers, of which this is one: often the only one.
	team    *team
	worker  int
	shuffle *rand.Rand

	uncertified bool // after some step tried from cur a unit could not certify its promises

	effort int // steps after which it ends, 0 for none

	outcomes map[string][]state.Value // by Machine.OutcomeKey
	known    map[string]bool          // violations reported so far, by what distinguishes them
	key      []byte

	stack   []*frame
	spare   []*frame
	cur     *state.State // the state being expanded: a kid's, or decoded
	decoded state.State
	free    []*state.State
	kept    int    // states that kids keep
	moves   []Move // of the step being tried, from cur

	choices []state.Choice // scratch space
	rivals  []*state.State // outcomes of one load, to be compared

	estimator estimator

	escape escape

	// With por.DPOR.
	dpor    dpor
	reading int         // number of the message that the step being tried reads, or -1
	wrote   []por.Write // in the step being tried, beside moves
}

// frame is an expanded state on the search's path.
type frame struct {
	kids  []kid
	buf   []byte  // encodings of the kids
	moves []Move  // of the kids
	names []int32 // of the kids
	next  int
	fp    store.Fingerprint
	fate  fate
	dpor  turns
}

// kid is a successor that is still to be visited: a state at the frontier.
type kid struct {
	from, to         int          // its encoding in the frame's buf
	st               *state.State // the state itself, as long as not too many are kept
	moveFrom, moveTo int          // the moves from the frame's state, in the frame's moves
	// What its units, and from nameMid on its locations, were called there, in
	// the frame's names; empty if nothing else.
	nameFrom, nameMid, nameTo int
	fp                        store.Fingerprint
	sleep                     por.Set // units that need not be tried there
	step                      kidStep // with por.DPOR
}

// checkEvery is the largest interval between looks at the context, in visits;
// where visits take long, the alarm rings before. Tests make it shorter.
var checkEvery = 1 << 8

// Bounds on what an execution may pile up: steps that read nothing in a row,
// after which the search looks for a repetition, and messages of one location
// that someone may still read. Real programs meet neither; a loop that stores
// without ever reading meets both.
const (
	maxEager    = 1 << 12
	maxMessages = 256
)

// pileEvery is the number of steps that read nothing after which the search looks
// how many messages they have piled up: each makes the next one dearer.
const pileEvery = 1 << 6

// maxKept is the number of states that are kept beside their encodings, so that
// they need not be decoded.
const maxKept = 1 << 12

// start makes the initial state the root of the path.
func (s *search) start() {
	root := s.newFrame()
	init := s.state()
	init.CopyFrom(s.origin())
	s.cur = &s.decoded
	s.settle(init, root, 0)
	s.heed()
	s.push(root)
	s.begun = s.paused == ""
}

// run visits what is left to visit: all, if there is no path yet.
func (s *search) run() {
	s.alarm.set()
	defer s.alarm.end()
	if !s.begun && !s.stopped {
		s.start()
	}
	for len(s.stack) > 0 && !s.stopped && !s.team.over.Load() && (s.effort == 0 || s.stats.Steps < s.effort) {
		f := s.stack[len(s.stack)-1]
		if f.next == len(f.kids) {
			if stats := s.stats; !s.turn(f) && !s.pop() {
				s.stats = stats // as if nothing had begun
			}
			continue
		}
		k := &f.kids[f.next]
		f.next++
		depth, stats, left, stored := len(s.stack), s.stats, len(f.kids)-f.next+1, s.visited.stored()
		s.visit(f, k)
		if s.paused != "" { // in the middle: as if the visit had not begun
			s.visited.unrecord()
			s.stack = s.stack[:depth]
			f.next--
			s.stats = stats
			break
		}
		s.estimator.child(depth-1, left, stored)
		if s.visits++; s.visits%checkEvery == 0 || s.alarm.ringing() {
			s.check()
			s.keep()
		}
	}
}

// check stops the search when it was asked to or has met a bound.
func (s *search) check() {
	switch s.ctx.Err() {
	case nil:
	case context.DeadlineExceeded:
		s.pause(context.Cause(s.ctx).Error())
	default:
		s.pause("interrupted")
	}
	if s.behind != nil && s.stats.Steps > s.behind.steps {
		s.pause("enough steps were spent on it")
	}
	s.team.steps[s.worker].Store(int64(s.stats.Steps))
	if s.opt.Progress != nil {
		s.count()
		s.estimator.look(s)
		s.opt.Progress(s.progress())
	}
}

func (s *search) stop(why string) {
	s.stopped = true
	s.incomplete(why)
}

// incomplete notes why the search does not see every execution.
func (s *search) incomplete(why string) {
	if !slices.Contains(s.result.Incomplete, why) {
		s.result.Incomplete = append(s.result.Incomplete, why)
	}
}

func (s *search) count() {
	s.stats.Elapsed = now().Sub(s.began)
	if s.byFirst {
		return // the rest is that of the first search
	}
	s.stats.States = s.visited.stored()
	s.stats.PeakBytes, _ = s.visited.usage()
}

// progress returns the statistics with what other workers have done so far.
func (s *search) progress() Stats {
	now := s.stats
	now.Steps = 0
	for i := range s.team.steps {
		now.Steps += int(s.team.steps[i].Load())
	}
	return now
}

// visit expands a kid unless its state has been explored before with a
// smaller sleep set (Godefroid's state matching).
func (s *search) visit(f *frame, k *kid) {
	sleep := k.sleep
	if !s.visited.same(k.fp, f.buf[k.from:k.to]) {
		s.fail(errCollision)
		return
	}
	e, seen := s.visited.lookup(k.fp)
	if seen {
		if por.Set(e.Sleep).Within(sleep) {
			s.stats.Cuts++
			s.forget(k)
			s.meet(f, k, e.Note)
			return
		}
		sleep &= por.Set(e.Sleep)
	}
	s.visited.record(k.fp, store.Entry{Sleep: uint64(sleep), Note: s.openNote(len(s.stack))})
	s.stats.States = s.visited.stored()
	if s.opt.MaxStates > 0 && s.stats.First+s.stats.States > s.opt.MaxStates {
		s.pause(fmt.Sprintf("the bound of %d states was met", s.opt.MaxStates))
		return
	}
	s.load(f, k)
	child := s.newFrame()
	s.takeCover(child, f, k)
	child.fp, child.dpor.entry, child.dpor.members = k.fp, sleep, len(s.dpor.members)
	child.fate.circling = s.circling(f, k, sleep)
	s.stack = append(s.stack, child)
	s.stats.Depth = max(s.stats.Depth, len(s.stack))
	s.expand(child, sleep)
	s.heed()
}

// heed looks up from the work when the machine has been halted meanwhile: what has come of
// it must be taken back.
func (s *search) heed() {
	if s.m.Halted() {
		s.check()
	}
}

// load makes s.cur the state of a kid.
func (s *search) load(f *frame, k *kid) {
	if s.cur = k.st; s.cur == nil {
		s.cur = &s.decoded
		if err := s.m.Decode(s.cur, f.buf[k.from:k.to]); err != nil {
			panic("explore: " + err.Error()) // our own encoding: a bug, not bad input
		}
	}
	s.cur.Mem.Label()
}

// forget drops the state that is kept of a kid.
func (s *search) forget(k *kid) {
	if k.st != nil {
		s.release(k.st)
		k.st = nil
		s.kept--
	}
}

// drop removes the kids of a frame.
func (s *search) drop(f *frame) {
	for i := range f.kids {
		s.forget(&f.kids[i])
	}
	f.clear()
}

// expand computes the successors of s.cur that must be tried.
func (s *search) expand(f *frame, sleep por.Set) {
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
		if slices.ContainsFunc(f.kids, func(k kid) bool { return !s.visited.has(k.fp) }) {
			s.arrange(f)
			return
		}
		s.drop(f)
	}
	found := s.faults
	s.uncertified = false
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
func (s *search) try(f *frame, todo []int, sleep por.Set) {
	for _, u := range todo {
		if sleep.Has(u) {
			continue
		}
		from := len(s.choices)
		if s.opt.POR == por.None {
			s.choices = por.Moves(s.m, s.cur, u, s.choices)
		} else {
			s.choices = s.m.Choices(s.cur, u, s.choices)
			all := len(s.choices)
			if !s.escape.on { // what has seen more may have no way out
				s.choices = s.choices[:from+len(s.por.Different(s.cur, u, s.choices[from:]))]
			}
			s.stats.Saved.Dominated += all - len(s.choices)
		}
		if n := len(s.choices) - from; n > 1 && n <= maxRivals && f.dpor.begun && s.por.Rivals(s.cur, u) {
			s.tryRivals(f, u, s.choices[from:], sleep)
		} else {
			s.tryEach(f, u, s.choices[from:], sleep)
		}
		s.choices = s.choices[:from]
		if s.opt.POR != por.None && s.m.Promises().Looking(s.cur, u) {
			s.tryPromises(f, u, sleep)
		}
		sleep = s.por.Asleep(sleep, u)
	}
}

// tryEach performs each outcome of the next operation of unit u.
func (s *search) tryEach(f *frame, u int, choices []state.Choice, sleep por.Set) {
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
			s.check()
		}
	}
}

// idles reports whether an outcome of the next operation of unit u at s.cur is
// plainly a round of waiting.
func (s *search) idles(f *frame, u int, c state.Choice) bool {
	return f.dpor.begun && f.dpor.Loc >= 0 && s.por.Idles(s.cur, u, f.dpor.Loc, c)
}

// round takes note of an outcome that is a round of waiting.
func (s *search) round(f *frame, c state.Choice) {
	s.stats.Steps++
	s.stats.Saved.Waits++
	s.wait(f, c.Back == 0)
}

// outcome performs an outcome of the next operation of unit u at a state that
// s.moves have led to from s.cur, and adds what that leads to to the frame.
func (s *search) outcome(f *frame, at *state.State, u int, c state.Choice, sleep por.Set) {
	next := s.state()
	next.CopyFrom(at)
	s.m.Do(next, u, c)
	s.follow(f, at, next, u, c, sleep)
}

// follow adds to the frame what next leads to, which an outcome of the next
// operation of unit u has led to from `at`.
func (s *search) follow(f *frame, at, next *state.State, u int, c state.Choice, sleep por.Set) {
	x := s.m.Target(at, u, c)
	s.tries(at, u)
	s.writes(at, u, x)
	if s.reading = -1; at == s.cur {
		s.reading = s.por.Message(at, u, c)
	}
	asleep := s.por.Wake(sleep, x, s.por.Watched(at, u))
	s.moves = append(s.moves, Move{u, c})
	s.uncertified = s.uncertified || next.Uncertified
	if f.dpor.begun && at == s.cur && x < 0 && f.dpor.Loc >= 0 && s.por.Spins(at, next, u) {
		s.round(f, c)
		s.release(next)
		return
	}
	s.stats.Steps++
	if next.Cast != s.cur.Cast {
		asleep = 0 // units are named otherwise now
	}
	s.settle(next, f, asleep)
}

// tryPromises has unit u, which is about to read, read each write that another
// unit can promise now. That is early enough for most promises: until somebody
// reads it, it makes no difference to anybody but its unit, which can promise it
// as long as it can keep it.
func (s *search) tryPromises(f *frame, u int, sleep por.Set) {
	x := s.m.Reading(s.cur, u)
	if x < 0 {
		return
	}
	s.promises(f, x, u, func(at *state.State, p Move) {
		from := len(s.choices)
		s.choices = s.m.Choices(at, u, s.choices)
		to := len(s.choices)
		for j := from; j < to && !s.stopped; j++ {
			if c := s.choices[j]; c.Back == p.Choice.Back && c.Promise == 0 {
				s.moves, s.wrote = append(s.moves[:0], p), s.wrote[:0]
				s.writes(at, p.Unit, x)
				s.outcome(f, at, u, c, s.por.Wake(sleep, x, -1).Without(p.Unit))
			}
		}
		s.choices = s.choices[:from]
	})
}

// tryHelp makes the promises that let others certify what they otherwise could
// not: other promises or, if some unit could not certify what it owes after
// some step that has been tried, that.
func (s *search) tryHelp(f *frame, sleep por.Set) {
	if !s.m.Traits.Promises {
		return
	}
	s.promises(f, -1, -1, func(at *state.State, p Move) {
		x := s.m.Target(s.cur, p.Unit, p.Choice)
		f.dpor.Full = true
		s.moves, s.wrote, s.reading = append(s.moves[:0], p), s.wrote[:0], -1
		s.writes(at, p.Unit, x)
		next := s.state()
		next.CopyFrom(at)
		s.settle(next, f, s.por.Wake(sleep, x, -1).Without(p.Unit))
	})
}

// promises calls try with the states that promises of writes of x (any that may
// help if negative), by other units than u, lead to from s.cur.
func (s *search) promises(f *frame, x, u int, try func(*state.State, Move)) {
	from := len(s.choices)
	at := s.state()
	defer s.release(at)
	var needy por.Needy
	if x < 0 {
		needy = s.por.Needy(s.cur, s.uncertified)
	}
	for v := range s.cur.Cast.Units {
		if v == u {
			continue
		}
		if x < 0 {
			s.choices = s.por.Helpers(s.cur, v, needy, s.choices[:from])
		} else {
			s.choices = s.m.Promises().Offers(s.cur, v, x, s.choices[:from])
		}
		to := len(s.choices)
		for i := from; i < to && !s.stopped; i++ {
			c := s.choices[i]
			at.CopyFrom(s.cur)
			s.m.Do(at, v, c)
			if at.Abandoned { // somebody cannot keep an older promise now
				s.cutShort(f)
				continue
			}
			try(at, Move{v, c})
			if s.alarm.ringing() {
				s.check()
			}
		}
	}
	s.choices = s.choices[:from]
}

// settle runs, from n, whatever need not be scheduled (all that reads nothing,
// which can be moved before the steps of other units) as long as it has one
// outcome, and adds the state so reached to the frame, with the units that may
// sleep there.
func (s *search) settle(n *state.State, f *frame, asleep por.Set) {
	kept := false
	depth, wrote := len(s.moves), len(s.wrote)
	for steps := 0; !n.Abandoned && !s.stopped; steps++ {
		if steps%checkEvery == checkEvery-1 || s.alarm.ringing() {
			s.check()
		}
		u := s.por.Eager(n, asleep)
		if steps > maxEager || steps%pileEvery == pileEvery-1 && n.Mem.Longest() > maxMessages {
			u = -1 // look whether this has been going on for ever
		}
		if n.Violation.Kind != state.NoViolation && !n.Open() && !s.passes(n.Violation.Kind) {
			s.violation(n)
			f.fate.out = true
			s.cutShort(f)
			break
		}
		if n.Flooded {
			s.incomplete(fmt.Sprintf("a unit can observe more than %d values under one name", state.MaxObservations))
			f.fate.out = true
			s.cutShort(f)
			break
		}
		if u < 0 {
			kept = s.emit(n, f, asleep)
			break
		}
		from := len(s.choices)
		s.choices = s.m.Choices(n, u, s.choices)
		to := len(s.choices)
		if s.choices = s.choices[:from]; from == to {
			n.Abandoned = true
			break
		}
		if to = from + len(s.por.Different(n, u, s.choices[from:to])); to > from+1 {
			kept = s.emit(n, f, asleep) // what its outcomes lead to may meet again
			break
		}
		c := s.choices[:to][from]
		x, y := s.m.Target(n, u, c), s.por.Watched(n, u)
		s.tries(n, u)
		s.writes(n, u, x)
		s.moves = append(s.moves, Move{u, c})
		cast := n.Cast
		s.m.Do(n, u, c)
		s.stats.Steps++
		s.stats.Saved.Eager++
		if asleep = s.por.Wake(asleep, x, y).Without(u); n.Cast != cast {
			asleep = 0
		}
	}
	if n.Abandoned {
		s.stats.Blocked++
		if s.dpor.cuts || !s.m.Promises().Over(s.cur) {
			s.cutShort(f)
		}
		if n.Discarded && !n.Open() {
			f.fate.out = true
		}
		if n.Mem.GraphFull() {
			f.fate.out = true
			s.incomplete("more than 64 seq_cst operations constrain each other in some execution")
		}
	}
	s.moves, s.wrote = s.moves[:depth], s.wrote[:wrote]
	if !kept {
		s.release(n)
	}
}

// writes takes note that unit u of n, which s.cur has led to, writes location
// x, if any.
func (s *search) writes(n *state.State, u, x int) {
	if x < 0 || s.opt.POR != por.DPOR {
		return
	}
	s.notes(n, por.Write{Unit: int32(u), Loc: int32(x)})
}

// tries takes note of what unit u of n is about to read: by a read-modify-write,
// which might write even if it does not now, where it may see a promise, or where
// who writes next must know.
func (s *search) tries(n *state.State, u int) {
	if s.opt.POR != por.DPOR {
		return
	}
	x := s.m.Reading(n, u)
	if x < 0 {
		return
	}
	if s.m.Modifying(n, u) || s.por.Watched(n, u) >= 0 {
		s.notes(n, por.Write{Unit: int32(u), Loc: int32(x), Kind: por.Try})
	}
	if s.m.Promises().MayLook(n, u) {
		s.notes(n, por.Write{Unit: int32(u), Loc: int32(x), Kind: por.Look})
	}
}

func (s *search) notes(n *state.State, w por.Write) {
	if n.Cast != s.cur.Cast {
		w.Unit = por.Somebody
		if int(w.Loc) >= s.dpor.local {
			w.Loc = por.Somewhere
		}
	}
	s.wrote = append(s.wrote, w)
}

// emit adds a frontier state to the frame's kids, which may keep it.
func (s *search) emit(n *state.State, f *frame, asleep por.Set) (kept bool) {
	if f.dpor.begun {
		n.Mem.Disown(f.dpor.Unit)
	}
	renamed := s.form(n)
	if n.Mem.Longest() > maxMessages {
		s.incomplete(fmt.Sprintf("a unit can be more than %d stores to one location behind another", maxMessages))
		f.fate.out = true
		s.cutShort(f)
		return false
	}
	k := kid{from: len(f.buf), moveFrom: len(f.moves), sleep: asleep}
	s.rename(f, &k, renamed)
	f.buf = n.Append(f.buf)
	f.moves = append(f.moves, s.moves...)
	k.to, k.moveTo = len(f.buf), len(f.moves)
	k.fp = fingerprint(f.buf[k.from:])
	if f.dpor.begun {
		if k.is(f) { // a wait that goes on
			f.dpor.Full = true
			s.stats.Saved.Waits++
			f.fate.back = f.fate.back || len(s.moves) > 1 || s.busy(s.cur, f.dpor.Unit) // rounds of one read are the business of checkWaiting
			f.fate.round = f.fate.round || f.fate.back
			s.wait(f, true)
			f.buf, f.moves = f.buf[:k.from], f.moves[:k.moveFrom]
			return false
		}
		s.noteKid(f, &k, n)
	}
	if s.kept < maxKept {
		s.kept++
		k.st = n
	}
	f.kids = append(f.kids, k)
	return k.st != nil
}

// fingerprint hashes an encoded state.
func fingerprint(text []byte) store.Fingerprint {
	h := xxh3.Hash128(text)
	return store.Fingerprint{Hi: h.Hi, Lo: h.Lo}
}

// terminal handles a state in which no unit can take a step.
func (s *search) terminal(f *frame) {
	n := s.cur
	if n.Open() {
		s.stats.Blocked++
		return
	}
	f.fate.out = true
	if s.behind != nil {
		return
	}
	if !n.Done() {
		s.moves = s.moves[:0]
		u, pc := n.Waiting()
		n.Violation = state.Violation{Kind: state.Deadlock, Unit: u, PC: pc}
		s.violation(n)
		return
	}
	s.stats.Ends++
	s.m.Reach(n)
	s.key = s.m.OutcomeKey(n, s.key[:0])
	if _, ok := s.outcomes[string(s.key)]; !ok {
		s.outcomes[string(s.key)] = s.m.Outcome(n, nil)
		if s.keeper.disk != nil {
			s.keeper.fresh = append(s.keeper.fresh, string(s.key))
		}
	}
}

// checkProgress reports a state that has been expanded and leads nowhere but
// to itself: all units that are left wait for values that never come.
func (s *search) checkProgress(f *frame, all []int, sleep por.Set) {
	if len(f.kids) == 0 && sleep == 0 || s.stopped || s.cur.Open() || !f.stuck() {
		return
	}
	for _, u := range all {
		if s.busy(s.cur, u) {
			return
		}
	}
	if sleep != 0 { // those who sleep may yet get on
		s.drop(f)
		found := s.faults
		s.try(f, all, 0)
		if s.faults != found || len(f.kids) == 0 || !f.stuck() {
			s.drop(f)
			return
		}
	}
	s.moves = s.moves[:0]
	s.deadlock(f, all[0])
}

// busy reports whether unit u of n does more than wait if its next step changes nothing.
func (s *search) busy(n *state.State, u int) bool {
	return s.m.Reading(n, u) < 0 || s.por.Storing(n, u)
}

// deadlock reports that unit u, and all others that are left, wait for ever at
// s.cur, the state of the frame.
func (s *search) deadlock(f *frame, u int) {
	f.fate.out = true
	if s.behind != nil {
		return
	}
	s.cur.Violation = state.Violation{Kind: state.Deadlock, Unit: u, PC: s.cur.PC(u)}
	s.violation(s.cur)
}

// stuck reports whether all kids are the frame's own state.
func (f *frame) stuck() bool {
	return !slices.ContainsFunc(f.kids, func(k kid) bool { return !k.is(f) })
}

// is reports whether the kid is the frame's state, with the same units in the same places.
func (k *kid) is(f *frame) bool { return k.fp == f.fp && k.nameTo == k.nameFrom }

func (f *frame) clear() {
	f.kids, f.buf, f.moves, f.names, f.next = f.kids[:0], f.buf[:0], f.moves[:0], f.names[:0], 0
}

func (s *search) push(f *frame) { s.stack = append(s.stack, f) }

// countTurns counts the turns that nobody needed at a state that is done.
func (s *search) countTurns(d *turns) {
	if !d.begun {
		return
	}
	for _, u := range d.Todo[d.At:] {
		if !d.sleep.Has(int(u)) {
			s.stats.Saved.Turns++
		}
	}
}

// pop leaves the frame on top of the path. It returns false if the search must
// pause before that.
func (s *search) pop() bool {
	f := s.stack[len(s.stack)-1]
	if !s.conclude(f) {
		return false
	}
	s.countTurns(&f.dpor)
	s.estimator.done(len(s.stack)-1, s.visited.stored())
	s.stack = s.stack[:len(s.stack)-1]
	s.keeper.low = min(s.keeper.low, len(s.stack))
	if n := len(s.stack); n > 0 {
		parent := s.stack[n-1]
		s.forget(&parent.kids[parent.next-1])
	}
	s.spare = append(s.spare, f)
	return true
}

func (s *search) newFrame() *frame {
	if n := len(s.spare); n > 0 {
		f := s.spare[n-1]
		s.spare = s.spare[:n-1]
		s.drop(f)
		f.fate = fate{}
		f.dpor.reset()
		return f
	}
	f := &frame{}
	f.dpor.reset()
	return f
}

func (s *search) state() *state.State {
	if n := len(s.free); n > 0 {
		st := s.free[n-1]
		s.free = s.free[:n-1]
		return st
	}
	return &state.State{}
}

func (s *search) release(n *state.State) { s.free = append(s.free, n) }
