package por

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
)

// Owing reports whether unit u owes a write: whether it can certify that after
// its next step may depend on what others do first.
func (r *Reducer) Owing(s *state.State, u memmodel.Unit) bool {
	m := r.Machine
	return m.Traits.Promises && s.Mem.Promises(u) > 0
}

// Helpers appends the promises of Offers that may let somebody who is needy certify what
// he otherwise could not.
func (r *Reducer) Helpers(s *state.State, u memmodel.Unit, needy Needy, out []state.Choice) []state.Choice {
	m := r.Machine
	if len(needy.units) == 0 {
		return out
	}
	return m.Promises().OffersOf(s, u, func(x memmodel.Loc) bool {
		return slices.ContainsFunc(needy.units, func(w memmodel.Unit) bool { return r.heeds(s, u, w, x, needy.all) })
	}, out)
}

// Needy are the units whose certifying promises may help that nobody reads yet, by what
// they read alone or, with all, by whatever their code may read.
type Needy struct {
	units []memmodel.Unit // in the order of their numbers
	all   bool            // see above
	work  int             // what it takes to know what they can promise, see Solo.Work
}

// Needy returns the units whose certifying may be helped by promises that nobody reads
// yet: all that may promise something or owe it. They are helped by what they read alone
// from here or, with all, by whatever their code may read: a step or a promise that takes a
// message away may have others come to it, and keep says that after some step somebody
// could not certify (docs/exploration.md).
func (r *Reducer) Needy(s *state.State) Needy {
	var n Needy
	for u := range s.Cast.Count() {
		if r.Machine.Promises().May(s, u) {
			n.units = append(n.units, u)
			n.work += r.Machine.Promises().Alone(s, u).Work()
		}
	}
	n.all = len(n.units) > 0 && (r.taken(s, r.goals(s, n.units)) || r.takes(s, n.units))
	return n
}

// Anyhow returns the same units, helped by whatever their code may read.
func (n Needy) Anyhow() Needy { return Needy{n.units, true, n.work} }

// Work is what it takes to know what these units can promise, as Solo.Work has it.
func (n Needy) Work() int { return n.work }

// All reports whether they are helped by whatever their code may read.
func (n Needy) All() bool { return n.all }

// goals returns the locations of which a promise would make a difference to one of these units, running alone.
func (r *Reducer) goals(s *state.State, units []memmodel.Unit) facts.Set {
	goals := make(facts.Set, len(r.Machine.Ahead(s, 0, facts.Ever).Access))
	for _, w := range units {
		alone := r.Machine.Promises().Alone(s, w)
		for _, list := range [...][]memmodel.Loc{alone.Heeds, alone.Again} {
			for _, x := range list {
				goals.Add(int(x))
			}
		}
	}
	return goals
}

// taken reports whether a promise of a write of one of these locations may forbid what was
// allowed before.
func (r *Reducer) taken(s *state.State, locs facts.Set) bool {
	m := r.Machine
	for v := range s.Cast.Count() {
		if m.Promises().May(s, v) && m.Promises().Alone(s, v).Forbids(locs) {
			return true
		}
	}
	return false
}

// takes reports whether a next step may forbid what one of these units does alone: it may
// take a message that the unit takes there, or S is constrained.
func (r *Reducer) takes(s *state.State, units []memmodel.Unit) bool {
	m := r.Machine
	for v := range s.Cast.Count() {
		if s.Status(v) != state.Ready || !m.Modifying(s, v) {
			continue
		}
		x := m.Reading(s, v)
		if slices.ContainsFunc(units, func(w memmodel.Unit) bool {
			return w != v && slices.Contains(m.Promises().Alone(s, w).Takes, x)
		}) {
			return true
		}
	}
	return m.Traits.SeqCst
}

// heeds reports whether unit w, alone or with all from any read ahead, reads location x in a
// way in which a promise of unit v would make a difference to it: its own by a read-modify-write that comes
// after the promised write.
func (r *Reducer) heeds(s *state.State, v, w memmodel.Unit, x memmodel.Loc, all bool) bool {
	m := r.Machine
	if all {
		f := m.Ahead(s, w, facts.Near)
		return f.Heeds.Has(int(x)) && (w != v || f.Modify[x>>6]&(1<<(x&63)) != 0)
	}
	alone := m.Promises().Alone(s, w)
	if w == v {
		return slices.Contains(alone.Again, x)
	}
	return slices.Contains(alone.Heeds, x)
}
