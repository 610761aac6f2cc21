package explore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/store"
	"github.com/zeebo/xxh3"
)

// Run explores a program. It returns early, with an incomplete result, when
// ctx is cancelled.
func Run(ctx context.Context, p *ir.Program, opt Options) *Result {
	if opt.Spec.Name == "" {
		opt.Spec = memmodel.Specs[0]
	}
	s := &search{
		ctx: ctx, opt: opt, began: time.Now(),
		m:        state.NewMachine(p, opt.Spec),
		visited:  store.NewTable(),
		outcomes: map[string]map[string]int64{},
		known:    map[string]bool{},
	}
	s.result = &Result{Spec: opt.Spec, POR: opt.POR}
	s.run()
	r := s.result
	s.finish()
	return r
}

// search is one depth-first search.
type search struct {
	ctx     context.Context
	opt     Options
	m       *state.Machine
	visited *store.Table
	canon   memmodel.Canon
	result  *Result
	stats   Stats
	began   time.Time
	stopped bool

	outcomes map[string]map[string]int64
	known    map[string]bool // violations reported so far, by what distinguishes them
	values   []state.Value

	stack []*frame
	spare []*frame
	cur   state.State    // the state being expanded
	free  []*state.State // for closure
	moves []Move         // of the step being tried, from cur
}

// frame is an expanded state on the search's path.
type frame struct {
	kids []kid
	buf  []byte // encodings of the kids
	next int
	fp   store.Fingerprint
}

// kid is a successor that is still to be visited: a state at the frontier.
type kid struct {
	from, to int // its encoding in the frame's buf
	fp       store.Fingerprint
	sleep    uint64 // units that need not be tried there
	moves    []Move // from the frame's state
	wrote    []int  // atomic locations written on the way
}

// interval between looks at the clock, the context and the bounds, in states.
const checkEvery = 1 << 10

func (s *search) run() {
	root := s.newFrame()
	init := s.state()
	init.CopyFrom(s.m.Initial())
	s.settle(init, root, nil)
	s.push(root)
	for len(s.stack) > 0 && !s.stopped {
		f := s.stack[len(s.stack)-1]
		if f.next == len(f.kids) {
			s.pop()
			continue
		}
		k := &f.kids[f.next]
		f.next++
		s.visit(f, k)
		if s.stats.States%checkEvery == 0 {
			s.check()
		}
	}
}

// check stops the search when it was asked to or has met a bound.
func (s *search) check() {
	if s.ctx.Err() != nil {
		s.stop("interrupted")
	}
	if s.opt.Progress != nil {
		s.count()
		s.opt.Progress(s.stats)
	}
}

func (s *search) stop(why string) {
	s.stopped = true
	if why != "" && !slices.Contains(s.result.Incomplete, why) {
		s.result.Incomplete = append(s.result.Incomplete, why)
	}
}

func (s *search) count() {
	s.stats.Elapsed = time.Since(s.began)
	s.stats.States = s.visited.Len()
	s.stats.PeakBytes = s.visited.Bytes()
}

// visit expands a kid unless its state has been explored before with a
// smaller sleep set (Godefroid's state matching).
func (s *search) visit(f *frame, k *kid) {
	sleep := k.sleep
	word, seen := s.visited.Entry(k.fp)
	if seen {
		if *word&^sleep == 0 {
			s.stats.Cuts++
			return
		}
		sleep &= *word
	}
	*word = sleep
	s.stats.States = s.visited.Len()
	if s.opt.MaxStates > 0 && s.stats.States > s.opt.MaxStates {
		s.stop(fmt.Sprintf("the bound of %d states was met", s.opt.MaxStates))
		return
	}
	if err := s.m.Decode(&s.cur, f.buf[k.from:k.to]); err != nil {
		panic("explore: " + err.Error()) // our own encoding: a bug, not bad input
	}
	child := s.newFrame()
	child.fp = k.fp
	s.stack = append(s.stack, child)
	s.stats.Depth = max(s.stats.Depth, len(s.stack))
	s.expand(child, sleep)
	if len(child.kids) == 0 {
		s.pop()
	}
}

// expand computes the successors of s.cur that must be tried.
func (s *search) expand(f *frame, sleep uint64) {
	todo, all := s.candidates()
	if len(todo) == 0 {
		s.terminal()
		return
	}
	if len(todo) < len(all) {
		s.try(f, todo, all, sleep)
		// A state that is not fully expanded must lead to one that was not
		// visited before, lest a unit be ignored for ever around a cycle.
		if slices.ContainsFunc(f.kids, func(k kid) bool { return !s.visited.Has(k.fp) }) {
			return
		}
		f.kids, f.buf = f.kids[:0], f.buf[:0]
	}
	s.try(f, all, all, sleep)
	s.checkProgress(f, sleep)
}

// candidates returns the units to try at s.cur, and all that could be.
func (s *search) candidates() (todo, all []int) {
	for u := range s.cur.Cast.Units {
		if s.cur.Status(u) == state.Ready && (s.opt.POR == por.None || s.m.Reading(&s.cur, u) >= 0) {
			all = append(all, u)
		}
	}
	if s.opt.POR == por.None {
		return all, all
	}
	for i, u := range all {
		if !s.m.MayBeWritten(&s.cur, u, s.m.Reading(&s.cur, u)) {
			return all[i : i+1], all
		}
	}
	return all, all
}

// try performs every outcome of the next operation of each unit of todo that
// does not sleep, and collects the states that they lead to.
func (s *search) try(f *frame, todo, all []int, sleep uint64) {
	var done uint64
	var choices []state.Choice
	for _, u := range todo {
		if u < 64 && sleep&(1<<u) != 0 {
			continue
		}
		first := len(f.kids)
		choices = s.m.Choices(&s.cur, u, choices[:0])
		for _, c := range choices {
			next := s.state()
			next.CopyFrom(&s.cur)
			s.moves = append(s.moves[:0], Move{u, c})
			var wrote []int
			if x := s.m.Target(next, u, c); x >= 0 {
				wrote = append(wrote, x)
			}
			s.m.Do(next, u, c)
			s.stats.Steps++
			s.settle(next, f, wrote)
			if s.stopped {
				return
			}
		}
		if s.opt.POR == por.Sleep {
			for i := first; i < len(f.kids); i++ {
				f.kids[i].sleep = s.stillAsleep(sleep|done, f.kids[i].wrote)
			}
			if u < 64 {
				done |= 1 << u
			}
		}
	}
}

// stillAsleep drops from a sleep set the units whose next read could see one
// of the writes.
func (s *search) stillAsleep(sleep uint64, wrote []int) uint64 {
	for _, x := range wrote {
		for u := range min(len(s.cur.Cast.Units), 64) {
			if sleep&(1<<u) != 0 && s.m.Reading(&s.cur, u) == x {
				sleep &^= 1 << u
			}
		}
	}
	return sleep
}

// settle runs, from n, whatever need not be scheduled (with por.Sleep: all
// that reads nothing, which can be moved before the steps of other units), and
// adds the states so reached to the frame.
func (s *search) settle(n *state.State, f *frame, wrote []int) {
	depth := len(s.moves)
	defer func() { s.moves = s.moves[:depth] }()
	var choices []state.Choice
	for {
		if n.Abandoned {
			s.stats.Blocked++
			s.release(n)
			return
		}
		if n.Violation.Kind != state.NoViolation && !n.Open() {
			s.violation(n)
			s.release(n)
			return
		}
		u := s.eager(n)
		if u < 0 {
			s.emit(n, f, wrote)
			s.release(n)
			return
		}
		choices = s.m.Choices(n, u, choices[:0])
		if len(choices) == 0 {
			s.stats.Blocked++
			s.release(n)
			return
		}
		if x := s.m.Target(n, u, choices[0]); x >= 0 {
			wrote = append(wrote, x)
		}
		for _, c := range choices[1:] {
			other := s.state()
			other.CopyFrom(n)
			at := len(s.moves)
			s.moves = append(s.moves, Move{u, c})
			s.m.Do(other, u, c)
			s.stats.Steps++
			s.settle(other, f, slices.Clone(wrote))
			s.moves = s.moves[:at]
			if s.stopped {
				return
			}
		}
		s.moves = append(s.moves, Move{u, choices[0]})
		s.m.Do(n, u, choices[0])
		s.stats.Steps++
	}
}

// eager returns a unit whose next operation can be performed at once, or -1.
func (s *search) eager(n *state.State) int {
	if s.opt.POR == por.None {
		return -1
	}
	for u := range n.Cast.Units {
		if n.Status(u) == state.Ready && s.m.Reading(n, u) < 0 {
			return u
		}
	}
	return -1
}

// emit adds a frontier state to the frame's kids.
func (s *search) emit(n *state.State, f *frame, wrote []int) {
	s.m.Normalise(&s.canon, n)
	from := len(f.buf)
	f.buf = n.Append(f.buf)
	h := xxh3.Hash128(f.buf[from:])
	f.kids = append(f.kids, kid{
		from: from, to: len(f.buf), fp: store.Fingerprint{Hi: h.Hi, Lo: h.Lo},
		moves: slices.Clone(s.moves), wrote: slices.Clone(wrote),
	})
}

// terminal handles a state in which no unit can take a step.
func (s *search) terminal() {
	n := &s.cur
	if n.Open() || !n.Mem.Complete() {
		s.stats.Blocked++
		return
	}
	if n.Mem.GraphFull() {
		s.stop("more than 64 seq_cst operations constrain each other")
		return
	}
	if !n.Done() {
		for u := range n.Cast.Units {
			if n.Status(u) != state.Ended {
				n.Violation = state.Violation{Kind: state.Deadlock, Unit: u, PC: n.PC(u)}
				break
			}
		}
		s.violation(n)
		return
	}
	s.stats.Ends++
	s.values = s.m.Outcome(n, s.values[:0])
	o := make(map[string]int64, len(s.values))
	for _, v := range s.values {
		o[v.Name] = v.Value
	}
	s.outcomes[OutcomeKey(o)] = o
}

// checkProgress reports a state that has been expanded fully and leads nowhere
// but to itself: all units that are left wait for values that never come.
func (s *search) checkProgress(f *frame, sleep uint64) {
	if sleep != 0 || len(f.kids) == 0 || s.stopped {
		return
	}
	for i := range f.kids {
		if f.kids[i].fp != f.fp {
			return
		}
	}
	if s.cur.Open() {
		return
	}
	for u := range s.cur.Cast.Units {
		if s.cur.Status(u) == state.Ready {
			s.cur.Violation = state.Violation{Kind: state.Deadlock, Unit: u, PC: s.cur.PC(u)}
			break
		}
	}
	s.moves = s.moves[:0]
	s.violation(&s.cur)
}

func (s *search) push(f *frame) { s.stack = append(s.stack, f) }

func (s *search) pop() {
	f := s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
	s.spare = append(s.spare, f)
}

func (s *search) newFrame() *frame {
	if n := len(s.spare); n > 0 {
		f := s.spare[n-1]
		s.spare = s.spare[:n-1]
		*f = frame{kids: f.kids[:0], buf: f.buf[:0]}
		return f
	}
	return &frame{}
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

// finish turns what was found into the result.
func (s *search) finish() {
	r := s.result
	for _, o := range s.outcomes {
		r.Outcomes = append(r.Outcomes, o)
	}
	if !s.stopped && len(r.Violations) == 0 || s.opt.All && !s.stopped {
		for _, str := range s.m.Unreached() {
			v := Violation{Line: s.m.Program.Strings[str]}
			v.Kind = state.Unreachable
			r.Violations = append(r.Violations, v)
		}
	}
	s.count()
	r.Stats = s.stats
	r.conclude()
}
