package explore

import (
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// Where a unit goes wrong, a search from there on asks whether the other units
// can still bring about a data race: then that is what is wrong with the
// execution, and the rest may be its consequence. docs/exploration/violations.md says why
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
			s.m.Pass(s.behind.path.s)
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
	t := newTeller(s.m)
	t.forgiving = s.pastRaces()
	return t
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
// of a path, and has a data race, if there is one, and notes in v if it could not tell. It makes no promises. Where all
// violations are asked for there must be no execution that goes on so and has none.
// docs/exploration/violations.md, "Races behind failures".
func (s *search) raceBehind(v *Violation, path *teller) *Violation {
	if at := path.s; !v.Kind.MayComeOfRace() || at.Violation.Kind != v.Kind || at.Abandoned {
		return nil // or it cannot be repeated, which is told when it is to be explained
	}
	b := s.searchBehind(&behind{path: path, steps: minBehind + s.stats.Steps - s.spent})
	b.opt.All = s.opt.All
	b.run()
	s.spent += b.stats.Steps
	found := b.result.Violations
	if b.ended { // without a race
		return nil
	}
	v.Unsettled = b.stopped && (s.opt.All || len(found) == 0) || len(b.result.Incomplete) > 0 && len(found) == 0
	if len(found) > 0 {
		return &found[0]
	}
	return nil
}

// endsWithoutRace notes that the execution which the search has gone on with has come to its end without a data race, and that this is
// enough where all violations are asked for.
func (s *search) endsWithoutRace() {
	if s.opt.All {
		s.ended, s.stopped = true, true
	}
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
