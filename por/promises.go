package por

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
)

// Owing reports whether unit u owes a write. Whether it can certify after its next step may then depend on what
// others do first.
func (r *Reducer) Owing(s *state.State, u memmodel.Unit) bool {
	m := r.Machine
	return m.Traits.Promises && s.Mem.Promises(u) > 0
}

// Helpers appends the promises of Offers that may let somebody who is needy certify what
// he otherwise could not.
func (r *Reducer) Helpers(s *state.State, u memmodel.Unit, needy PromisingThreads, out []state.Choice) []state.Choice {
	return r.Machine.Promises().OffersOf(s, u, func(x memmodel.Loc) bool {
		for i := range needy.units {
			if r.valueMatters(s, u, &needy, i, x) {
				return true
			}
		}
		return false
	}, out)
}

// PromisingThreads are the units that may promise something or owe it. A promise that no unit reads yet may help
// them to certify.
type PromisingThreads struct {
	units []memmodel.Unit        // in the order of their numbers
	alone []*state.Certification // what each of them comes to alone
	all   bool                   // see above
	work  int                    // what it takes to know what they can promise, see state.Certifier.Work
}

// PromisingThreads returns the units whose certifying may be helped by promises that nobody reads
// yet: all that may promise something or owe it. They are helped by what they read alone
// from here or, with all, by whatever their code may read: a step or a promise that takes a
// message away may have others come to it (docs/exploration/promises.md).
func (r *Reducer) PromisingThreads(s *state.State) PromisingThreads {
	var n PromisingThreads
	for u := range s.Cast.Count() {
		if r.Machine.Promises().May(s, u) {
			n.units = append(n.units, u)
		}
	}
	for _, u := range n.units {
		n.alone = append(n.alone, r.Machine.Promises().Alone(s, u))
		n.work += r.Machine.Promises().Work(s, u)
	}
	n.all = len(n.units) > 0 && (n.taken(n.goals(r.Machine.Ahead(s, 0, facts.Ever).Access)) || r.takes(s, &n))
	return n
}

// Anyhow returns the same units, helped by whatever their code may read, as where after some step somebody could not
// certify.
func (n PromisingThreads) Anyhow() PromisingThreads {
	n.all = true
	return n
}

// Work is what it takes to know what these units can promise, as state.Certifier.Work has it.
func (n PromisingThreads) Work() int { return n.work }

// All reports whether they are helped by whatever their code may read.
func (n PromisingThreads) All() bool { return n.all }

// goals returns the locations of which a promise would make a difference to one of the units, running alone:
// a set for as many as another one.
func (n *PromisingThreads) goals(room facts.Set) facts.Set {
	goals := make(facts.Set, len(room))
	for _, alone := range n.alone {
		for _, list := range [...][]memmodel.Loc{alone.ValueMatters, alone.Again} {
			for _, x := range list {
				goals.Add(int(x))
			}
		}
	}
	return goals
}

// taken reports whether a promise of a write of one of these locations may forbid what was
// allowed before.
func (n *PromisingThreads) taken(locs facts.Set) bool {
	return slices.ContainsFunc(n.alone, func(alone *state.Certification) bool { return alone.Forbids(locs) })
}

// takes reports whether a next step may forbid what one of the units does alone: it may
// take a message that the unit takes there, or S is constrained.
func (r *Reducer) takes(s *state.State, n *PromisingThreads) bool {
	m := r.Machine
	for v := range s.Cast.Count() {
		if s.Status(v) != state.Ready || !m.Modifying(s, v) {
			continue
		}
		x := m.Reading(s, v)
		for i, w := range n.units {
			if w != v && slices.Contains(n.alone[i].Takes, x) {
				return true
			}
		}
	}
	return m.Traits.SeqCst
}

// valueMatters reports whether promising thread number i reads location x in a way in which a promise of unit v
// makes a difference. A promise of its own does so for a read-modify-write that follows the promised write.
func (r *Reducer) valueMatters(s *state.State, v memmodel.Unit, n *PromisingThreads, i int, x memmodel.Loc) bool {
	w := n.units[i]
	switch {
	case n.all:
		f := r.Machine.Ahead(s, w, facts.Near)
		return f.ValueMatters.Has(int(x)) && (w != v || f.Modify[x>>6]&(1<<(x&63)) != 0)
	case w == v:
		return slices.Contains(n.alone[i].Again, x)
	}
	return slices.Contains(n.alone[i].ValueMatters, x)
}
