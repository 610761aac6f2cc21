package explore

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// Symmetry: each state on the path has been brought, by giving other names to
// units that are interchangeable, into the form in which the visited states
// know it. A successor remembers the names that its units and locations had in the
// frame's terms, so that whatever is told of it can be told of the frame.

// form brings n into the form in which visited states are known, and reports
// whether it gave the units other names on the way, which s.sorter then has.
// docs/exploration/symmetry.md, "Symmetry".
func (s *base) form(n *state.State) (renamed bool) {
	s.m.Normalise(&s.canon, n)
	return s.symmetric() && s.sorter.Sort(s.m, &s.canon, n)
}

// rename notes that a state which is about to become a successor has been given other names.
// docs/exploration/symmetry.md, "Names".
func (s *base) rename(f *frame, k *successor, renamed bool) {
	k.nameFrom, k.nameTo = len(f.names), len(f.names)
	k.nameMid = k.nameTo
	if !renamed {
		return
	}
	s.stats.Saved.Renamed++
	f.names = append(f.names, s.sorter.Units...)
	for _, x := range s.sorter.Locs {
		f.names = append(f.names, int32(x))
	}
	k.nameMid, k.nameTo = k.nameFrom+len(s.sorter.Units), len(f.names)
	asleep := k.sleep
	k.sleep = 0
	for u, was := range s.sorter.Units {
		if asleep.Has(memmodel.Unit(was)) {
			k.sleep = k.sleep.With(memmodel.Unit(u))
		}
	}
}

// renaming returns what the units and locations of a successor were called in its
// frame's terms, nil if nothing else.
func (f *frame) renaming(k *successor) (units, locs []int32) {
	if k.nameFrom == k.nameTo {
		return nil, nil
	}
	return f.names[k.nameFrom:k.nameMid], f.names[k.nameMid:k.nameTo]
}

// flatten forgets of effects that states on a cycle share what differs between
// these: what the writes depend on, and, as each of the states may have its own
// names for units that can be exchanged, which of these they are.
func (s *base) flatten(d *turns) {
	d.effects.DropCauses()
	if d.begun() && s.symmetric() && d.cast.Symmetric() {
		d.effects.Widen(d.cast.Movable, d.cast.MovableLoc)
	}
}

// symmetric reports whether the search gives other names to units.
func (s *base) symmetric() bool {
	return !s.opt.NoSymmetry && !s.opt.NoCache && s.opt.POR != por.None
}
