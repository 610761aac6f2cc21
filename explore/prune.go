package explore

import (
	"maps"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// Pruning: where there is too much to search for a shorter schedule, what the schedule that
// there is does not need is left out of it: work-groups, work-items, and what units do last.
// What remains is made again from the initial state, and counts only if it leads to the like
// of the violation.

// pruning is a schedule from which moves are left out.
type pruning struct {
	s    *reporter      // which found it
	m    *state.Machine // keeps everything
	v    *Violation     // that the schedule shows
	told []absoluteMove // its moves, in terms that hold when others are left out
	rest []absoluteMove // space for what is tried next
	left int            // moves that may still be made
}

// prune leaves out of the schedule of v what it does not need, and returns what tells the
// rest on the search's machine: nil if nothing was left out.
func (s *reporter) prune(v *Violation) *concretiser {
	for m := range replayers(s.m, makesPromises(v.Schedule)) {
		t := newConcretiser(m)
		if !t.performs(v.Schedule) || t.s.Violation.Kind != v.Kind || t.s.Open() {
			continue
		}
		short := *v
		p := &pruning{s: s, m: m, v: &short, told: t.told, left: max(shortenSteps, s.stats.Steps)}
		if p.units(); len(p.told) == len(v.Schedule) {
			return nil
		}
		t = newConcretiser(m)
		t.concretise(short.Schedule)
		if t = t.on(s.m); t != nil {
			*v = short
		}
		return t
	}
	return nil
}

// performs tells moves as long as they can be made.
func (t *concretiser) performs(moves []Move) bool {
	for i, mv := range moves {
		if mv.Unit >= t.s.Cast.Count() || t.s.Abandoned {
			return false
		}
		t.concretise(moves[i : i+1])
	}
	return !t.s.Abandoned
}

// units leaves out first those work-groups, then those units, then the ends of those units
// that are not needed: of several at once, or else of half of them.
func (p *pruning) units() {
	var groups, units [][]uint64
	of := map[memmodel.Place][]uint64{}
	for _, id := range slices.Sorted(maps.Keys(unitsOf(p.told))) {
		t := p.told[slices.IndexFunc(p.told, func(t absoluteMove) bool { return t.unit == id })]
		units = append(units, []uint64{id})
		of[groupOf(t.place)] = append(of[groupOf(t.place)], id)
	}
	for place, ids := range of {
		if !place.Host {
			groups = append(groups, ids)
		}
	}
	slices.SortFunc(groups, func(a, b []uint64) int { return slices.Compare(a, b) })
	p.without(groups)
	p.without(units)
	for was := 0; was != len(p.told); { // what one unit's end was needed for may be left out later
		was = len(p.told)
		for _, u := range units {
			p.ends(u[0])
		}
	}
}

// without leaves out all that it can of some sets of units, trying many at a time.
func (p *pruning) without(sets [][]uint64) {
	sets = slices.Clone(sets)
	for size := len(sets); size > 0; size /= 2 {
		for at := 0; at < len(sets); {
			n := min(size, len(sets)-at)
			drop := map[uint64]bool{}
			for _, set := range sets[at : at+n] {
				for _, id := range set {
					drop[id] = true
				}
			}
			if p.try(func(t *absoluteMove, _ int) bool { return drop[t.unit] }) {
				sets = slices.Delete(sets, at, at+n)
			} else {
				at += n
			}
		}
	}
}

// ends leaves out what a unit does last.
func (p *pruning) ends(id uint64) {
	has := 0
	for i := range p.told {
		if p.told[i].unit == id {
			has++
		}
	}
	for n := has; n > 0; n /= 2 {
		for n <= has && p.try(func(t *absoluteMove, nth int) bool { return t.unit == id && nth >= has-n }) {
			has -= n
		}
	}
}

// try leaves out the moves of which drop tells, by which of their unit's moves they are, and
// reports whether the rest shows the violation.
func (p *pruning) try(drop func(t *absoluteMove, nth int) bool) bool {
	if p.left <= 0 || p.s.ctx.Err() != nil {
		return false
	}
	nth := map[uint64]int{}
	rest := slices.Grow(p.rest[:0], len(p.told))
	for _, t := range p.told {
		if !drop(&t, nth[t.unit]) {
			rest = append(rest, t)
		}
		nth[t.unit]++
	}
	p.rest = rest
	if len(rest) == len(p.told) {
		return false
	}
	var end Violation
	f := &performer{m: p.m, told: rest, left: min(p.left, maxTries*(len(rest)+1)), ends: func(n *state.State) bool {
		if n.Violation.Kind == state.NoViolation || n.Open() {
			return false
		}
		end = Violation{Violation: n.Violation}
		p.s.describe(&end, n)
		return p.s.like(&end, p.v)
	}}
	had := f.left
	ok := f.perform(p.m.Start(nil))
	p.left -= had - f.left
	if ok {
		end.Schedule = slices.Clone(f.moves)
		*p.v, p.told, p.rest = end, rest, p.told
	}
	return ok
}

// groupOf returns what units of one work-group share of their places; host threads have
// groups of their own.
func groupOf(p memmodel.Place) memmodel.Place {
	return memmodel.Place{Host: p.Host, Device: p.Device, Kernel: p.Kernel, Group: p.Group}
}

// unitsOf returns the IDs of the units that make a move.
func unitsOf(told []absoluteMove) map[uint64]bool {
	ids := map[uint64]bool{}
	for i := range told {
		ids[told[i].unit] = true
	}
	return ids
}

// takePart counts the work-groups and the units that do something.
func takePart(told []absoluteMove) (groups, units int) {
	in := map[memmodel.Place]bool{}
	for i := range told {
		if q := told[i].place; !q.Host {
			in[groupOf(q)] = true
		}
	}
	return len(in), len(unitsOf(told))
}
