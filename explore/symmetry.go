package explore

import (
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// Symmetry: each state on the path has been brought, by giving other names to
// units that are interchangeable, into the form in which the visited states
// know it. A kid remembers the names that its units and locations had in the
// frame's terms, so that whatever is told of it can be told of the frame.

// sort gives the units of n, which is about to become a kid, the names that
// the visited states know it by.
func (s *search) sort(n *state.State, f *frame, k *kid) {
	k.nameFrom, k.nameTo = len(f.names), len(f.names)
	k.nameMid = k.nameTo
	if !s.symmetric() || !s.sorter.Sort(s.m, &s.canon, n) {
		return
	}
	s.stats.Saved.Renamed++
	f.names = append(append(f.names, s.sorter.Units...), s.sorter.Locs...)
	k.nameMid, k.nameTo = k.nameFrom+len(s.sorter.Units), len(f.names)
	asleep := k.sleep
	k.sleep = 0
	for u, was := range s.sorter.Units {
		if asleep.Has(int(was)) {
			k.sleep = k.sleep.With(u)
		}
	}
}

// renaming returns what the units and locations of a kid were called in its
// frame's terms, nil if nothing else.
func (f *frame) renaming(k *kid) (units, locs []int32) {
	if k.nameFrom == k.nameTo {
		return nil, nil
	}
	return f.names[k.nameFrom:k.nameMid], f.names[k.nameMid:k.nameTo]
}

// flatten forgets of effects that states on a cycle share what differs between
// these: what the writes depend on, and, as each of the states may have its own
// names for units that can be exchanged, which of these they are.
func (s *search) flatten(d *turns) {
	d.effects.Flatten()
	if d.begun && s.symmetric() && d.cast.Symmetric() {
		d.effects.Blur(d.cast.Movable, d.cast.MovableLoc)
	}
}

// symmetric reports whether the search gives other names to units.
func (s *search) symmetric() bool {
	return !s.opt.NoSymmetry && !s.opt.NoCache && s.opt.POR != por.None
}

// teller tells a path in the names that units have had from the beginning. It
// repeats the execution, for units come and go.
type teller struct {
	m     *state.Machine
	s     *state.State
	names []int // of the units that the path speaks of
}

func newTeller(m *state.Machine) *teller {
	t := &teller{m: m, s: m.Initial()}
	for u := range t.s.Cast.Units {
		t.names = append(t.names, u)
	}
	return t
}

// tell performs moves and tells them.
func (t *teller) tell(moves []Move, to []Move) []Move {
	for _, mv := range moves {
		cast := t.s.Cast
		mv.Unit = t.names[mv.Unit]
		t.m.Do(t.s, mv.Unit, mv.Choice)
		if t.s.Cast != cast {
			t.names = cast.Carry(t.s.Cast, t.names)
		}
		to = append(to, mv)
	}
	return to
}

// rename follows the path to a kid's state, whose unit u was units[u].
func (t *teller) rename(units []int32) {
	if units == nil {
		return
	}
	names := make([]int, len(units))
	for u, was := range units {
		names[u] = t.names[was]
	}
	t.names = names
}

// schedule tells the path to the violation v of n, and what s.moves adds to
// it, and gives v the names that the units then have.
func (s *search) schedule(v *state.Violation, n *state.State) []Move {
	if !s.symmetric() {
		var moves []Move
		for _, f := range s.stack {
			if f.next > 0 {
				k := &f.kids[f.next-1]
				moves = append(moves, f.moves[k.moveFrom:k.moveTo]...)
			}
		}
		return append(moves, s.moves...)
	}
	t := newTeller(s.m)
	var moves []Move
	for _, f := range s.stack {
		if f.next > 0 {
			k := &f.kids[f.next-1]
			moves = t.tell(f.moves[k.moveFrom:k.moveTo], moves)
			units, _ := f.renaming(k)
			t.rename(units)
		}
	}
	moves = t.tell(s.moves, moves)
	v.Rename(func(u int) int { return t.names[u] }, func(x int) int { return n.Cast.RenameLoc(x, t.names) })
	return moves
}
