package explore

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// No way out: a state that executions come to, and from which none of them comes
// to an end, whatever the scheduler does. Each state learns whether something
// below it ends. Where a strongly connected component closes and nothing does,
// the reason may be that those who sleep there have been tried elsewhere. So the
// search looks from there, with nobody asleep, until it finds an end, or all of
// a component that nothing leaves. docs/exploration/violations.md argues why that is enough.

// wayOut is the part of a search that knows whether executions come to an end below a state, and looks for one where that is in doubt.
type wayOut struct {
	expander
	escape    exitSearch // the one that looks
	elsewhere circle     // scratch space: of a unit that does not come back to where it was
}

// termination says whether executions below a state end.
// docs/exploration/violations.md, "States without a way out".
type termination struct {
	// out: something comes to an end, or is told of otherwise: it goes wrong, fails
	// an assumption, or is beyond a bound.
	out   bool
	round bool // something leads back to the state, or to one above it that is not done
	back  bool // so does something in the turn that has been taken last
	// circling are the units that sleep, or will, because they have been tried in
	// a turn that led back. What it led back to is explored with others going on from
	// there, after which they may go round for ever: that is not tried elsewhere.
	cyclicAsleep por.Set
}

// The fate of a state that is done is in its note, above the number of its effects.
const (
	outNote   = 1 << 32
	roundNote = 1 << 33
)

func (f *termination) note() (n uint64) {
	if f.out {
		n |= outNote
	}
	if f.round {
		n |= roundNote
	}
	return n
}

// known returns what a note says.
func known(note uint64) termination {
	return termination{out: note&open == 0 && note&outNote != 0, round: note&open != 0 || note&roundNote != 0}
}

// lift joins what is known below a successor.
func (f *termination) lift(below termination) {
	f.out = f.out || below.out
	f.round, f.back = f.round || below.round, f.back || below.round
}

// next records that the turn of a unit is over.
func (f *termination) next(unit memmodel.Unit) {
	if f.back {
		f.cyclicAsleep = f.cyclicAsleep.With(unit)
	}
	f.back = false
}

// cyclicAsleep returns the units that sleep at a successor, whose state s.cur is, because they were tried in a
// turn that led back. Where readers take no turns that is not known of any unit.
func (s *wayOut) cyclicAsleep(f *frame, k *successor, sleep por.Set) (z por.Set) {
	if sleep == 0 || !s.m.Loops {
		return 0
	}
	units, _ := f.renaming(k)
	for u := range s.cur.Cast.Count() {
		was := u
		if units != nil {
			was = memmodel.Unit(units[u])
		}
		if sleep.Has(u) && (!f.dpor.begun() || f.dpor.stage == outOfTurn || f.fate.cyclicAsleep.Has(was)) && s.cur.Status(u) == state.Ready {
			z = z.With(u)
		}
	}
	return z
}

// decide finds out whether executions below the state on top of the path end, as far as that is in doubt. All its
// successors have been explored. It returns false if the search must pause first. A search for races alone need
// not know: in all its states some unit has failed, and hang has nothing to report.
func (s *wayOut) decide(f *frame, closed bool) bool {
	if s.stopped || s.onlyRaces() || !f.fate.round && f.fate.cyclicAsleep == 0 {
		return true
	}
	stats := s.stats
	if s.opt.POR != por.None {
		if n := s.caughtUp(); n != nil {
			s.probe(f, n)
		}
	}
	if closed && !f.fate.out && !s.stopped {
		s.reload()
		s.moves = s.moves[:0]
		n := s.state()
		n.CopyFrom(s.cur)
		s.probe(f, n)
	}
	stats.Probed = s.stats.Probed
	if s.behind != nil {
		stats.Steps = s.stats.Steps // which bound it
	}
	s.stats = stats
	return !s.heed()
}

// soloSteps bounds the steps of a round in which a unit catches up.
const soloSteps = 64

// caughtUp returns the state that s.moves lead to from the frame's, in which each unit that the newest message
// leads round to where it is has gone round once. The search itself may not reach that state: rounds of waiting
// are no steps, and an older message with the same result dominates. The result is nil if it is the frame's state
// itself.
func (s *wayOut) caughtUp() *state.State {
	s.reload()
	s.moves = s.moves[:0]
	n, next := s.state(), s.state()
	defer s.release(next)
	n.CopyFrom(s.cur)
	for u := range s.cur.Cast.Count() {
		if !s.outdated(n, u) {
			continue
		}
		if next.CopyFrom(n); s.goRound(n, next, u) {
			n.CopyFrom(next)
		}
	}
	if len(s.moves) == 0 {
		s.release(n)
		return nil
	}
	return n
}

// outdated reports whether unit u of n is in a loop and reads next a location of which it may know an outdated
// message.
func (s *wayOut) outdated(n *state.State, u memmodel.Unit) bool {
	return n.Status(u) == state.Ready && s.m.Loops && s.m.Reading(n, u) >= 0 && s.por.ComesBack(n, u)
}

// goRound runs unit u of next, a copy of n, alone with the newest messages until it is back where it was. It
// reports whether that happens within soloSteps steps and adds them to s.moves. Rounds without an outdated read
// are left out.
func (s *wayOut) goRound(n, next *state.State, u memmodel.Unit) bool {
	from, old := len(s.moves), false
	s.elsewhere.begin()
	for range soloSteps {
		if next.Cast != n.Cast || next.Status(u) != state.Ready {
			break
		}
		if x := s.m.Reading(next, u); x >= 0 && next.Mem.Readable(u, x) > 1 {
			old = true
		}
		s.choices = s.m.Choices(next, u, s.choices[:0])
		i := slices.IndexFunc(s.choices, newest)
		if i < 0 {
			break
		}
		mv := Move{u, s.choices[i]}
		s.moves = append(s.moves, mv)
		onlyReads := s.onlyReads(next, u, mv.Choice)
		if s.m.Try(next, u, mv.Choice); next.Abandoned || next.Violation.Kind != n.Violation.Kind {
			break
		}
		if s.por.Spins(n, next, u) {
			if !old {
				break
			}
			return true
		}
		if s.elsewhere.goes(next, u, onlyReads) {
			break
		}
	}
	s.moves = s.moves[:from]
	return false
}

// exitSearch is a depth-first search for a state in which some execution ends.
type exitSearch struct {
	low   uint64              // the first number of the present probe
	path  []vertex            // of the states on the path, from where the probe began
	open  []store.Fingerprint // states of components that are not closed, as in Tarjan's algorithm
	hangs bool                // where only ends are looked for: a component has been found that nothing leaves
}

// What knowledge.probed says of a state that was looked at: one of these, or its number, from exitSearch.low on, if it has been
// looked at in the present probe.
const (
	leadsOut  = iota // from there something ends, or is told of otherwise
	leadsDead        // no execution goes on for ever from there, or, where only ends are looked for, none ends
	firstNumber
)

// vertex is a state on a probe's path, of Tarjan's algorithm for strongly
// connected components.
type vertex struct {
	fp          store.Fingerprint // of its state
	number, low uint64            // in the order of visits, and the lowest that it leads back to
	opened      int               // length of escape.open before it
	round       bool              // something leads back to a state of its component
	sound       bool              // its execution, or that of another state of its component that is done, exists
}

// probe looks for an end below n, which s.moves have led to from the state on top of the path, all of whose
// successors have been explored. It reports a violation if there is a state below from which no execution ends.
func (s *wayOut) probe(f *frame, n *state.State) {
	e := &s.escape
	if s.probed == nil {
		s.probed, e.low = store.NewTable(0), firstNumber
		if s.opt.Exact {
			s.probed.Audit()
		}
	}
	s.drop(f)
	base := len(s.stack)
	root := s.newFrame()
	s.push(root)
	if !s.addSuccessor(n, root, 0) {
		s.release(n)
	}
	e.path, e.open = e.path[:0], e.open[:0]
	s.probing = true
	out := root.fate.out || s.probeDFS(root)
	s.probing = false
	f.fate.out = f.fate.out || out && s.paused == ""
	for len(s.stack) > base {
		top := s.stack[len(s.stack)-1]
		s.drop(top)
		s.recycleFrame(top)
		s.stack = s.stack[:len(s.stack)-1]
	}
	// From all states that have been looked at and are not known to be dead,
	// something leads to those on the path, and so out.
	e.low = max(e.low, firstNumber+uint64(s.stats.Probed))
}

// probeDFS searches depth first below the only successor of the frame on top of the path, and reports whether it
// found an end.
func (s *wayOut) probeDFS(root *frame) bool {
	e := &s.escape
	for !s.stopped {
		f := s.stack[len(s.stack)-1]
		if f.next == len(f.successors) {
			if f == root {
				return false
			}
			if s.retreat(f) {
				return true
			}
			continue
		}
		k := &f.successors[f.next]
		f.next++
		if !s.probed.Same(k.fp, f.buf[k.from:k.to]) {
			s.fail(storeFailed, errCollision)
			break
		}
		switch w, seen := s.probed.Lookup(k.fp); {
		case !seen:
			if s.enter(f, k) {
				return true
			}
		case w.Note == leadsDead:
		case w.Note < e.low:
			return true
		default: // to a component that has not been closed
			v := &e.path[len(e.path)-1]
			v.low, v.round = min(v.low, w.Note), true
		}
	}
	return true
}

// enter goes on to a successor that is new to the search, and reports whether it or one of its successors is known
// to lead to an end.
func (s *wayOut) enter(f *frame, k *successor) bool {
	e := &s.escape
	if s.leavesBy(k) {
		return true
	}
	number := firstNumber + uint64(s.stats.Probed)
	s.stats.Probed++
	if s.opt.MaxStates > 0 && s.visited.stored()+s.stats.Probed > s.opt.MaxStates {
		s.atBound(fmt.Sprintf("the bound of %d states was met", s.opt.MaxStates))
		return true
	}
	if s.stats.Probed%s.pace.look == 0 && s.overfull() {
		s.pause(s.memoryMet())
		return true
	}
	s.probed.Put(k.fp, store.Entry{Note: number})
	s.load(f, k)
	e.path = append(e.path, vertex{fp: k.fp, number: number, low: number, opened: len(e.open), sound: !s.cur.Open()})
	e.open = append(e.open, k.fp)
	child := s.newFrame()
	child.fp = k.fp
	s.push(child)
	s.spread(child, false)
	if s.alarm.ringing() {
		s.lookUp()
	}
	return child.fate.out || slices.ContainsFunc(child.successors, func(k successor) bool { return s.leavesBy(&k) })
}

// spread computes the successors of s.cur, without a sleep set: all or, unless the whole is wanted, as many as it takes to see one that is known
// to lead to an end.
func (s *wayOut) spread(f *frame, whole bool) {
	_, all := s.por.Candidates(s.cur)
	if len(all) == 0 {
		s.terminal(f)
		return
	}
	tried, out := 0, false
	for i := range all {
		s.try(f, all[i:i+1], 0)
		for ; tried < len(f.successors); tried++ {
			out = out || s.leavesBy(&f.successors[tried])
		}
		if !whole && (out || f.fate.out) {
			return
		}
	}
	if s.opt.POR != por.None {
		s.tryHelp(f, 0)
	}
}

// leavesBy reports whether a successor is known to lead to an end.
func (s *wayOut) leavesBy(k *successor) bool {
	if w, seen := s.probed.Lookup(k.fp); seen && w.Note != leadsDead && w.Note < s.escape.low {
		return true
	}
	w, seen := s.visited.lookup(k.fp)
	return seen && known(w.Note).out
}

// retreat leaves the frame on top of the search's path. If the frame is the root of a strongly connected
// component, nothing leads out of that. A component that has a cycle and that executions reach is then a
// violation. It counts as a way out if the search goes on, so that it is reported once.
func (s *wayOut) retreat(f *frame) bool {
	e := &s.escape
	v := e.path[len(e.path)-1]
	e.path = e.path[:len(e.path)-1]
	if v.low == v.number {
		if v.round && v.sound {
			waits := s.allWait(f)
			if !s.onlyEnds {
				s.hang(f, v, waits)
			}
			if !s.onlyEnds || waits {
				return true
			}
			e.hangs = true
		}
		for _, fp := range e.open[v.opened:] {
			s.probed.Put(fp, store.Entry{Note: leadsDead})
		}
		e.open = e.open[:v.opened]
	} else {
		above := &e.path[len(e.path)-1]
		above.low, above.round, above.sound = min(above.low, v.low), true, above.sound || v.sound
	}
	s.drop(f)
	s.recycleFrame(f)
	s.stack = s.stack[:len(s.stack)-1]
	above := s.stack[len(s.stack)-1]
	s.forget(&above.successors[above.next-1])
	return false
}

// perhapsNoWayOut is why a search without promises is not complete where they can matter.
const perhapsNoWayOut = "without load buffering some state has no way out; load buffering may give it one (see --promises)"

// hang reports the component whose root is the frame on top of the path.
func (s *wayOut) hang(f *frame, v vertex, waits bool) {
	s.drop(f)
	s.reload()
	s.findRealisable(v)
	n := s.cur
	if s.heed() || n.Failed() {
		return // who waits for whoever has failed may have got on without that
	}
	if bounded, endless := s.m.Promises().Limits(); bounded || endless {
		return // and the search is not complete
	}
	if s.leftOut() {
		s.incomplete(perhapsNoWayOut)
		return
	}
	s.moves = s.moves[:0]
	_, all := s.por.Candidates(n)
	if waits {
		for _, u := range all {
			s.waitsOnNewest(u) // which whoever repeats the schedule sees them read
		}
		s.deadlock(f, all[0])
		return
	}
	n.Violation = state.Violation{Kind: state.NoWayOut, Unit: all[0], PC: n.PC(all[0])}
	s.violation(n)
}

// allWait reports whether the state on top of the path is a deadlock: the units that are left only wait.
func (s *wayOut) allWait(f *frame) bool {
	if !f.stuck() {
		return false
	}
	s.reload()
	_, all := s.por.Candidates(s.cur)
	return !slices.ContainsFunc(all, func(u memmodel.Unit) bool { return s.busy(s.cur, u) })
}

// findRealisable leads the path on to a state whose execution exists, if the one that it
// has come to, the first of a component, has none by itself.
func (s *wayOut) findRealisable(v vertex) {
	tried := map[store.Fingerprint]bool{v.fp: true}
	if s.cur.Open() {
		s.spread(s.stack[len(s.stack)-1], true)
	}
	for s.cur.Open() && !s.stopped {
		f := s.stack[len(s.stack)-1]
		if f.next == len(f.successors) {
			s.stack = s.stack[:len(s.stack)-1]
			continue
		}
		k := &f.successors[f.next]
		f.next++
		if tried[k.fp] {
			continue
		}
		tried[k.fp] = true
		s.load(f, k)
		s.push(s.newFrame())
		if s.cur.Open() {
			s.spread(s.stack[len(s.stack)-1], true)
		}
	}
}

// newest reports whether an outcome reads the newest message, with no guess.
func newest(c state.Choice) bool { return c.Back == 0 && c.Broken == 0 && c.Promise == 0 }
