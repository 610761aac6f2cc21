package por

import (
	"slices"

	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
)

// Owing reports whether unit u owes a write: whether it can certify that after
// its next step may depend on what others do first.
func (r *Reducer) Owing(s *state.State, u int) bool {
	m := r.Machine
	return m.Traits.Promises && s.Mem.Promises(u) > 0
}

// Helpers appends the promises of Offers that may let somebody who is needy certify what
// he otherwise could not.
func (r *Reducer) Helpers(s *state.State, u int, needy Needy, out []state.Choice) []state.Choice {
	m := r.Machine
	if len(needy.units) == 0 {
		return out
	}
	return m.Promises().OffersOf(s, u, func(x int) bool {
		return slices.ContainsFunc(needy.units, func(w int) bool { return r.sees(s, u, w, x, needy.all) })
	}, out)
}

// Needy are the units whose certifying promises may help that nobody reads yet, by what
// they read alone or, with all, by whatever their code may read.
type Needy struct {
	units []int // in the order of their numbers
	all   bool  // see above
}

// Needy returns the units whose certifying may be helped by promises that nobody reads
// yet: those that may promise what is read now, or what helps another of them, and
// with keep those that owe. They are helped by what they read alone from here or, with
// all, by whatever their code may read: a step, or a promise that takes a message
// away, may have others come to it (docs/exploration.md).
func (r *Reducer) Needy(s *state.State, keep bool) Needy {
	if !keep {
		if units, goals := r.neediest(s, false, false); !r.taken(s, goals) {
			return Needy{units, false}
		}
	}
	units, _ := r.neediest(s, keep, true)
	return Needy{units, true}
}

// neediest returns the units that are needy, and the locations that help.
func (r *Reducer) neediest(s *state.State, keep, all bool) (units []int, goals facts.Set) {
	m := r.Machine
	read := make(facts.Set, len(m.Ahead(s, 0, facts.Ever).Access))
	goals = make(facts.Set, len(read))
	for u := range s.Cast.Units {
		if m.Promises().Looking(s, u) {
			read.Add(m.Reading(s, u))
		}
	}
	for more := true; more; {
		more = false
		for w := range s.Cast.Units {
			if !m.Promises().May(s, w) || slices.Contains(units, w) {
				continue
			}
			if may := m.Ahead(s, w, facts.Near).Promised; may.Meets(read) || may.Meets(goals) || keep && r.Owing(s, w) {
				units, more = append(units, w), true
				r.addLooks(s, w, all, goals)
			}
		}
	}
	return units, goals
}

// addLooks adds the locations of which unit w might see a promise.
func (r *Reducer) addLooks(s *state.State, w int, all bool, goals facts.Set) {
	m := r.Machine
	if all {
		goals.Union(m.Ahead(s, w, facts.Near).Looks)
		return
	}
	for _, list := range [...][]int{m.Promises().Alone(s, w).Looks, m.Promises().Alone(s, w).Again} {
		for _, x := range list {
			goals.Add(x)
		}
	}
}

// taken reports whether a promise of a write of one of these locations may forbid what was
// allowed before.
func (r *Reducer) taken(s *state.State, locs facts.Set) bool {
	m := r.Machine
	for v := range s.Cast.Units {
		if m.Promises().May(s, v) && m.Promises().Alone(s, v).Takes(locs) {
			return true
		}
	}
	return false
}

// sees reports whether unit w, alone or with all from any read ahead, reads location x in a
// way in which it might see a promise of unit v: its own by a read-modify-write that comes
// after the promised write.
func (r *Reducer) sees(s *state.State, v, w, x int, all bool) bool {
	m := r.Machine
	if all {
		f := m.Ahead(s, w, facts.Near)
		return f.Looks.Has(x) && (w != v || f.Modify[x>>6]&(1<<(x&63)) != 0)
	}
	alone := m.Promises().Alone(s, w)
	if w == v {
		return slices.Contains(alone.Again, x)
	}
	return slices.Contains(alone.Looks, x)
}
