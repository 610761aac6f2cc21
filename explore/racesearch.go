package explore

import (
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// Where a unit goes wrong, a search from there on asks whether the other units
// can still bring about a data race: then that is what is wrong with the
// execution, and the rest may be its consequence. docs/exploration/violations.md says why
// it is enough to let the others go on.

// raceSearch makes a search one for the data races that lie behind a violation.
type raceSearch struct {
	path  *concretiser // which has come to where the violation has come about
	steps int          // after which the search gives up
	after bool         // the violation is a race, and the search is for what goes wrong after it
	whole bool         // all races are asked for, whether or not some execution has none
}

// minBehind is how many steps searches behind violations may take in all,
// beside as many as the search itself has taken.
const minBehind = 1 << 18

// origin is the state that a search begins with.
func (s *reporter) origin() *state.State {
	if s.behind != nil {
		if s.behind.after {
			s.behind.path.passOne()
		}
		return s.behind.path.s
	}
	return s.m.Start(nil)
}

// concretiser returns one that tells how the search comes to where it begins.
func (s *reporter) concretiser() *concretiser {
	if s.behind != nil {
		return s.behind.path.clone()
	}
	t := newConcretiser(s.m)
	t.forgiving = s.pastRaces()
	return t
}

// lasting reports whether a search that is interrupted goes on later, or elsewhere.
func (s *reporter) lasting() bool {
	return s.opt.Store != nil || len(s.opt.Links) > 0 || s.whole != nil && s.whole.lasting()
}

// passes reports whether the search goes on after a violation of a kind.
func (s *base) passes(k state.Kind) bool {
	return s.onlyRaces() && k != state.DataRace
}

// onlyRaces reports whether the search is for data races alone.
func (s *base) onlyRaces() bool { return s.behind != nil && !s.behind.after }

// raceBehind returns an execution that goes on where v has come about, at the end
// of a path, and has a data race, if there is one, and notes in v if it could not tell. It makes no promises. Where all
// violations are asked for there must be no execution that goes on so and has none.
// docs/exploration/violations.md, "Races behind failures".
func (s *reporter) raceBehind(v *Violation, path *concretiser) *Violation {
	if races, alone := s.racesBehind(v, path, false); len(races) > 0 && !alone {
		return &races[0]
	}
	return nil
}

// racesBehind is raceBehind, and returns all data races that were found; with whole, all that there are where all violations
// are asked for. It reports whether the violation comes about alone: it does if some execution that goes on so has no race.
// docs/exploration/violations.md, "Races behind failures".
func (s *reporter) racesBehind(v *Violation, path *concretiser, whole bool) (races []Violation, alone bool) {
	if !v.mayBeBehind(path) || s.behind != nil { // behind a race, that is what is wrong; whoever repeats the execution goes on behind the violation, too
		return nil, false
	}
	b := s.searchBehind(&raceSearch{path: path, steps: minBehind + s.stats.Steps - s.spent, whole: whole})
	b.opt.All = s.opt.All
	b.run()
	s.spent += b.stats.Steps
	races = b.result.Violations
	if s.opt.All && b.ended {
		return races, true
	}
	v.Unsettled = b.stopped && (s.opt.All || len(races) == 0) || len(b.result.Incomplete) > 0 && len(races) == 0
	return races, false
}

// mayBeBehind reports whether a data race may lie behind a violation, at the end of a path, that it depends on.
func (v *Violation) mayBeBehind(path *concretiser) bool {
	at := path.s
	return v.Kind.MayComeOfRace() && at.Violation.Kind == v.Kind && !at.Abandoned // or it cannot be repeated, which is told when it is to be explained
}

// againBehind is how many steps searches may take in all behind violations that are on the list already.
const againBehind = 1 << 16

// goOnBehind lists the data races that lie behind a violation of n which is on the list already, if all violations are asked for: it has come about on
// another path there, and what others can still do depends on the path. What such searches have seen they need not see again.
// docs/exploration/violations.md, "Races behind failures".
func (s *reporter) goOnBehind(v *Violation, n *state.State) {
	if !s.opt.All || s.behind != nil || s.pastRaces() || !v.Kind.MayComeOfRace() || s.again >= againBehind || s.ctx.Err() != nil {
		return
	}
	path := s.schedule(v, n)
	if s.again += len(v.Schedule) + 1; v.Untold || !v.mayBeBehind(path) {
		return
	}
	b := s.searchBehind(&raceSearch{path: path, steps: againBehind - s.again, whole: true})
	b.opt.All = true
	if last := s.lastAgain; last != nil {
		b.visited, b.pool = last.visited, last.pool // of which the notes of the states speak
	}
	b.run()
	if s.lastAgain, s.again = b, s.again+b.stats.Steps; b.stopped {
		s.again = againBehind // states are left open
	}
	s.listRaces(b.result.Violations)
}

// listRaces lists data races that lie behind a violation that comes about without them, too.
func (s *reporter) listRaces(races []Violation) {
	for i := range races {
		race := &races[i]
		race.Failed, race.FailedUnit, race.FailedPC, race.FailedLine = state.NoViolation, 0, 0, ""
		s.report(race)
	}
}

// endsWithoutRace notes that the execution which the search has gone on with has come to its end without a data race, and that this is
// enough where all violations are asked for, but not all races.
func (s *reporter) endsWithoutRace() {
	if s.ended = true; s.opt.All && !s.behind.whole {
		s.stopped = true
	}
}

// searchBehind returns a search for what lies behind a violation.
func (s *base) searchBehind(b *raceSearch) *search {
	t := s.beside()
	t.behind = b
	t.opt = Options{Spec: s.opt.Spec, POR: s.opt.POR, NoSymmetry: s.opt.NoSymmetry, Exact: s.opt.Exact}
	t.visited, t.room = &localSet{set: store.NewTable(s.room)}, s.room // as much again
	t.team, t.result = lonely(), &Result{}
	return t
}
