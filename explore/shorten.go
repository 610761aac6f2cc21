package explore

import (
	"sort"

	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// A trace is to be read, but not at any price: these bound the states that a search for
// a shorter schedule encodes, in bytes, and the steps it takes, if the search that found the
// violation took fewer. They count rather than measure, so that the schedule is the same each time.
const (
	shortenLimit = 8 << 20
	shortenSteps = 10_000
)

// simplify shortens the schedule of a violation. With fewer steps done there are
// more ways to go on, so that a data race may lie behind it that did not before.
// That is the one to report first; among all, the violation stands as it was.
func (s *reporter) simplify(v *Violation) {
	if s.ctx.Err() != nil || v.After || v.Depends { // which shows only beyond where other paths end
		return
	}
	short := *v
	if path := s.shorten(&short); path != nil && !s.pastRaces() && !v.Beside {
		if race := s.raceBehind(&short, path); race != nil {
			if s.opt.All {
				return
			}
			short = *race
			s.shorten(&short)
		} else if short.Unsettled && s.m.Halted() {
			return // there was no time to look behind it again
		}
	}
	short.Beside = v.Beside
	*v = short
}

// shorten replaces a violation by one of the same kind and place with the shortest schedule, and of those
// by one in which the fewest units take part, as far as a bounded breadth-first search without
// reduction finds one. It returns the concretiser of the new schedule; nil if v stays, or ends in no state
// to go on from. Where there is too much to search, it leaves out the moves that the schedule at hand
// does not need, and searches among the units that remain.
func (s *reporter) shorten(v *Violation) *concretiser {
	if v.Kind == state.NoWayOut {
		s.trim(v)
		return nil
	}
	path, whole := s.among(v, nil)
	if whole {
		return path
	}
	for range maxPrunings {
		shorter := s.prune(v)
		if shorter == nil {
			break
		}
		path = shorter
		if shorter, whole = s.among(v, unitsOf(path.told)); shorter != nil {
			path = shorter
		}
		if whole {
			break
		}
	}
	return path
}

// maxPrunings is how often a schedule is pruned, and then a shorter one searched among the units that remain.
const maxPrunings = 3

// among looks for a shorter schedule in which only those units take part whose IDs are
// in `only`, all if it is nil. It reports whether it has looked at all that are shorter.
func (s *reporter) among(v *Violation, only map[uint64]bool) (path *concretiser, whole bool) {
	b := breadth{s: s, seen: store.NewTable(0), steps: max(shortenSteps, s.stats.Steps), only: only, length: len(v.Schedule)}
	first := s.m.Start(nil)
	if first.Abandoned || first.Violation.Kind != state.NoViolation {
		return nil, true
	}
	b.add(first, -1, Move{})
	for at := 0; at < len(b.nodes) && b.nodes[at].depth+1 < b.length; at++ {
		if !b.expand(at, v) {
			return b.path, false
		}
	}
	return b.path, true
}

// breadth is a breadth-first search that remembers how it came to each state.
type breadth struct {
	s       *reporter       // which found the violation
	seen    *store.Table    // states come to
	only    map[uint64]bool // IDs of the units that may take part, nil for all
	spent   int             // bytes of states encoded
	steps   int             // that may still be taken
	length  int             // of the schedule that must not be met: of those below it, one is looked for
	path    *concretiser    // to the like of the violation, once found
	groups  int             // that take part in it
	units   int             // that take part in it
	nodes   []node          // states come to, in their order
	buf     []byte          // their encodings
	cur     state.State     // scratch space: the state that is expanded,
	next    state.State     // what it leads to,
	choices []state.Choice  // and by what
}

type node struct {
	from, to int  // encoding in buf
	parent   int  // the node that it came from
	depth    int  // number of moves
	move     Move // from its parent
}

// add queues a state unless it is known.
func (b *breadth) add(n *state.State, parent int, mv Move) {
	b.s.m.Normalise(&b.s.canon, n)
	from := len(b.buf)
	b.buf = n.Append(b.buf)
	b.spent += len(b.buf) - from
	fp := fingerprint(b.buf[from:])
	if b.seen.Has(fp) {
		b.buf = b.buf[:from]
		return
	}
	b.seen.Put(fp, store.Entry{})
	depth := 0
	if parent >= 0 {
		depth = b.nodes[parent].depth + 1
	}
	b.nodes = append(b.nodes, node{from, len(b.buf), parent, depth, mv})
}

// expand queues the successors of a node, or finds that one of them shows the violation,
// which then has that schedule: of those of one length that in which the fewest take part. It
// reports whether to go on: not when a limit is reached.
func (b *breadth) expand(at int, v *Violation) bool {
	m := b.s.m
	if err := m.Decode(&b.cur, b.buf[b.nodes[at].from:b.nodes[at].to]); err != nil {
		panic("explore: " + err.Error())
	}
	for u := range b.cur.Cast.Count() {
		if b.only != nil && !b.only[b.cur.Cast.Units[u].ID] {
			continue
		}
		b.choices = por.Moves(m, &b.cur, u, b.choices[:0])
		for _, c := range b.choices {
			if b.steps--; b.steps < 0 || b.spent >= shortenLimit || b.s.ctx.Err() != nil {
				return false
			}
			b.next.CopyFrom(&b.cur)
			m.Try(&b.next, u, c)
			switch {
			case b.next.Abandoned:
			case b.next.Violation.Kind == state.NoViolation && b.next.Done():
				if w := (Violation{}); v.Kind == w.Kind && b.s.shows(&b.next) {
					b.found(v, &w, append(b.schedule(at), Move{u, c}))
				}
			case b.next.Violation.Kind != state.NoViolation && !b.next.Open():
				w := Violation{Violation: b.next.Violation}
				b.s.describe(&w, &b.next)
				switch {
				case b.s.like(&w, v):
					b.found(v, &w, append(b.schedule(at), Move{u, c}))
				case w.Kind == v.Failed && w.Line == v.FailedLine: // the race is to come after it
					b.add(&b.next, at, Move{u, c})
				}
			case b.path == nil: // once it is found, only what is as short is looked at
				b.add(&b.next, at, Move{u, c})
			}
		}
	}
	return true
}

// found takes w for v if moves, that have led to it, can be told and fewer take part than in
// what has been found before, which is as long.
func (b *breadth) found(v, w *Violation, moves []Move) {
	path, told := b.retell(moves), false
	groups, units := takePart(path.told)
	if b.path != nil && (groups > b.groups || groups == b.groups && units >= b.units) {
		return
	}
	if w.Schedule, told = path.schedule(); told {
		*v, b.path, b.groups, b.units = *w, path, groups, units
		b.length = len(moves) + 1
	}
}

// like reports whether w shows what v does. Which of two racing accesses comes second
// matters only where all violations are asked for.
func (s *reporter) like(w, v *Violation) bool {
	if w.Failed != v.Failed || w.FailedLine != v.FailedLine {
		return false
	}
	return w.key() == v.key() || w.Kind == state.DataRace && v.Kind == w.Kind && w.Location == v.Location && !s.opt.All
}

// retell returns a concretiser of what moves have shown here.
func (b *breadth) retell(moves []Move) *concretiser {
	t := newConcretiser(b.s.m)
	for i := range moves {
		b.s.m.Normalise(&b.s.canon, t.s)
		t.concretise(moves[i : i+1])
	}
	return t
}

// schedule returns the moves that lead to a node.
func (b *breadth) schedule(at int) []Move {
	moves := make([]Move, b.nodes[at].depth)
	for ; b.nodes[at].parent >= 0; at = b.nodes[at].parent {
		moves[b.nodes[at].depth-1] = b.nodes[at].move
	}
	return moves
}

// trimStates bounds the states that are looked at to find out whether a part of
// a schedule is enough.
const trimStates = 4096

// trim leaves out, at the end of a schedule that leads to a state without a way
// out, what comes after the first such state. There is none from any state after
// it either, so that it is found by bisection. A part that is too far to perform
// to all its ends counts as having one.
func (s *reporter) trim(v *Violation) {
	own := s.own(v.Schedule)
	if own == nil {
		return
	}
	v.Schedule = v.Schedule[:sort.Search(len(own), func(n int) bool {
		return s.ctx.Err() == nil && s.lost(own[:n])
	})]
}

// unrepeatable notes of a state without a way out that its schedule leads to none on a machine that keeps everything, which takes fewer seq_cst operations than one
// that forgets those that constrain nothing any more. A schedule is short enough once it was trimmed, for which there may have been no time.
func (s *reporter) unrepeatable(v *Violation) {
	if v.Kind != state.NoWayOut || v.Untold {
		return
	}
	for m := range repeaters(s.m.Program, s.m.Spec, makesPromises(v.Schedule)) {
		t := newConcretiser(m)
		if t.forgiving = v.After; t.performs(v.Schedule) {
			return
		}
	}
	v.Untold, v.Schedule = true, nil
}

// own returns the moves of a schedule as the search's machine numbers them, whose units may promise less than those of the machine on which
// schedules are repeated.
func (s *reporter) own(schedule []Move) []Move {
	if !makesPromises(schedule) {
		return schedule
	}
	for m := range replayers(s.m, true) {
		t := newConcretiser(m)
		if !t.performs(schedule) {
			continue
		}
		if f := t.performer(s.m); f.perform(s.m.Start(nil)) {
			return f.moves
		}
	}
	return nil
}

// lost reports whether it is certain that no execution that begins with a
// schedule ends.
func (s *reporter) lost(schedule []Move) bool {
	w := s.helper(0)
	w.opt.All, w.opt.MaxStates, w.opt.Witnesses = true, trimStates, 0 // its path does not begin where executions do
	w.visited, w.team = w.opt.visited(), lonely()
	w.onlyEnds = true
	w.alarm.set(w.pace.ring)
	defer w.alarm.end()
	n := s.m.Start(nil)
	for _, mv := range schedule {
		s.m.Try(n, mv.Unit, mv.Choice)
		if n.Abandoned { // there is no time
			return false
		}
	}
	sound := !n.Open()
	w.moves, w.cur = w.moves[:0], &w.decoded
	f := w.newFrame()
	w.probe(f, n)
	return sound && w.escape.hangs && !f.fate.out && !w.heed()
}
