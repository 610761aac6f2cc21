package explore

import (
	"sort"

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

// shorten replaces a violation by the like that has the shortest schedule, as
// far as a bounded breadth-first search without reduction finds one.
func (s *search) shorten(v *Violation) {
	if v.Kind == state.NoWayOut {
		s.trim(v)
		return
	}
	b := breadth{s: s, seen: store.NewSet(0), steps: max(shortenSteps, s.stats.Steps)}
	first := s.m.Initial()
	if first.Violation.Kind != state.NoViolation {
		return
	}
	b.add(first, -1, Move{})
	for at := 0; at < len(b.nodes) && b.nodes[at].depth+1 < len(v.Schedule); at++ {
		if !b.expand(at, v) {
			return
		}
	}
}

// breadth is a breadth-first search that remembers how it came to each state.
type breadth struct {
	s       *search
	seen    *store.Set
	spent   int // bytes of states encoded
	steps   int // that may still be taken
	nodes   []node
	buf     []byte
	cur     state.State
	next    state.State
	choices []state.Choice
}

type node struct {
	from, to int // encoding in buf
	parent   int
	depth    int
	move     Move
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

// expand queues the successors of a node. It reports whether to go on: not if one of
// them shows the violation, which then has that schedule, nor when a limit is reached.
func (b *breadth) expand(at int, v *Violation) bool {
	m := b.s.m
	if err := m.Decode(&b.cur, b.buf[b.nodes[at].from:b.nodes[at].to]); err != nil {
		panic("explore: " + err.Error())
	}
	for u := range b.cur.Cast.Units {
		b.choices = m.Moves(&b.cur, u, b.choices[:0])
		for _, c := range b.choices {
			if b.steps--; b.steps < 0 || b.spent >= shortenLimit || b.s.ctx.Err() != nil {
				return false
			}
			b.next.CopyFrom(&b.cur)
			m.Do(&b.next, u, c)
			switch {
			case b.next.Abandoned:
			case b.next.Violation.Kind != state.NoViolation && !b.next.Open():
				w := Violation{Violation: b.next.Violation}
				b.s.describe(&w, &b.next)
				if w.key() == v.key() || w.Kind == state.DataRace && v.Kind == w.Kind && w.Location == v.Location && !b.s.opt.All {
					if w.Schedule = b.retell(append(b.schedule(at), Move{u, c})); w.Schedule != nil {
						*v = w
					}
					return false
				}
			default:
				b.add(&b.next, at, Move{u, c})
			}
		}
	}
	return true
}

// retell returns the moves that show, where nothing is brought into canonical form,
// what moves have shown here; nil if there are none.
func (b *breadth) retell(moves []Move) []Move {
	t := newTeller(b.s.m)
	for i := range moves {
		b.s.m.Normalise(&b.s.canon, t.s)
		t.tell(moves[i : i+1])
	}
	if moves, ok := t.schedule(); ok {
		return moves
	}
	return nil
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
// it either, so that it is found by bisection. A part that is too far to follow
// to all its ends counts as having one.
func (s *search) trim(v *Violation) {
	v.Schedule = v.Schedule[:sort.Search(len(v.Schedule), func(n int) bool {
		return s.ctx.Err() == nil && s.lost(v.Schedule[:n])
	})]
}

// lost reports whether it is certain that no execution that begins with a
// schedule ends.
func (s *search) lost(schedule []Move) bool {
	w := s.helper(0)
	w.visited, w.team = store.NewSet(0), nil
	w.opt.Store, w.opt.All, w.opt.MaxStates, w.opt.Mem = nil, true, trimStates, 0
	w.escape.whole = true
	w.alarm.set()
	defer w.alarm.end()
	n := s.m.Initial()
	for _, mv := range schedule {
		s.m.Do(n, mv.Unit, mv.Choice)
	}
	sound := !n.Open()
	w.moves, w.cur = w.moves[:0], &w.decoded
	f := w.newFrame()
	w.probe(f, n)
	return sound && w.escape.hangs && !f.fate.out && w.paused == ""
}
