package explore

import (
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// Where a unit goes wrong, a search from there on asks whether the other units
// can still bring about a data race: then that is what is wrong with the
// execution, and the rest may be its consequence. docs/exploration.md says why
// it is enough to let the others go on.

// behind makes a search one for the data races that lie behind a violation.
type behind struct {
	path  *teller // which has come to where the violation has come about
	steps int     // after which the search gives up
	after bool    // the violation is a race, and the search is for what goes wrong after it
}

// minBehind is how many steps searches behind violations may take in all,
// beside as many as the search itself has taken.
const minBehind = 1 << 18

// origin is the state that a search begins with.
func (s *search) origin() *state.State {
	if s.behind != nil {
		if s.behind.after {
			s.m.Forgive(s.behind.path.s)
		}
		return s.behind.path.s
	}
	return s.m.Start(nil)
}

// teller returns one that tells how the search comes to where it begins.
func (s *search) teller() *teller {
	if s.behind != nil {
		return s.behind.path.clone()
	}
	return newTeller(s.m)
}

// lasting reports whether a search that is interrupted goes on later, or elsewhere.
func (s *search) lasting() bool {
	return s.keeper.disk != nil || len(s.opt.Links) > 0 || s.whole != nil && s.whole.lasting()
}

// passes reports whether the search goes on after a violation of a kind.
func (s *search) passes(k state.Kind) bool {
	return s.onlyRaces() && k != state.DataRace
}

// onlyRaces reports whether the search is for data races alone.
func (s *search) onlyRaces() bool { return s.behind != nil && !s.behind.after }

// raceBehind returns an execution that goes on where v has come about, at the end
// of a path, and has a data race, if there is one, and notes in v if it could not tell.
// docs/exploration.md, "Violations".
func (s *search) raceBehind(v *Violation, path *teller) *Violation {
	if !v.Kind.MayComeOfRace() {
		return nil
	}
	race := s.lookBehind(v, path)
	if race != nil || s.whole == nil {
		return race
	}
	if path = path.on(s.whole.m); path == nil {
		v.Unsettled = true
		return nil
	}
	return s.whole.raceBehind(v, path)
}

// lookBehind is raceBehind with the promises that the search itself allows.
func (s *search) lookBehind(v *Violation, path *teller) *Violation {
	if at := path.s; at.Violation.Kind != v.Kind || at.Abandoned {
		return nil // it cannot be repeated, which is told when it is to be explained
	}
	b := s.searchBehind(&behind{path: path, steps: minBehind + s.stats.Steps - s.spent})
	b.run()
	s.spent += b.stats.Steps
	if len(b.result.Violations) > 0 {
		return &b.result.Violations[0]
	}
	v.Unsettled = b.stopped || len(b.result.Incomplete) > 0
	return nil
}

// searchBehind returns a search for what lies behind a violation.
func (s *search) searchBehind(b *behind) *search {
	t := &search{
		ctx: s.ctx, pace: s.pace, m: s.m, por: por.Reducer{Mode: s.por.Mode, Machine: s.m}, behind: b,
		opt:   Options{Spec: s.opt.Spec, POR: s.opt.POR, NoSymmetry: s.opt.NoSymmetry, Exact: s.opt.Exact},
		began: s.began, visited: &lone{set: store.NewTable(s.room)}, team: lonely(), room: s.room, // as much again
		outcomes: newOutcomes(), known: map[string]bool{}, result: &Result{},
	}
	t.dpor.cuts, t.dpor.local = s.dpor.cuts, s.dpor.local
	return t
}
