package explore

import (
	"slices"

	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// With Options.Beyond the search continues after a data race, and after a read of uninitialised memory, to find further ones in the same
// execution. The racing read returns the newest value that it may see; uninitialised memory is 0. The
// specification leaves such an execution undefined (rule 9.3). So a violation found there
// is marked (Violation.After), its outcomes do not count, and no verdict depends on it.

// continuePastRaces follows the execution of each data race, and of each read of uninitialised memory, that has been found, and of those that it
// finds on the way.
// docs/exploration/violations.md, "Beyond races".
func (s *reporter) continuePastRaces() {
	told := pieces{s, map[string][2]piece{}}
	todo := slices.Clone(s.result.Violations)
	for i := range todo {
		s.known[todo[i].key()] = true // other workers' among them
		told.repeated(&todo[i])
	}
	before := len(todo)
	for i := 0; i < len(todo); i++ {
		if v := todo[i]; (v.Kind == state.DataRace || v.Kind == state.UninitialisedRead) && s.ctx.Err() == nil {
			s.result.After = true
			for _, w := range s.goBeyond(&v) {
				if todo = append(todo, w); !told.repeated(&w) {
					s.result.Violations = append(s.result.Violations, w)
				}
			}
		}
	}
	if s.ctx.Err() != nil && s.lasting() { // when the search goes on, there will be time for all
		s.result.Violations = s.result.Violations[:before]
		s.check()
	}
}

// goBeyond returns what goes wrong when an execution goes on after a race.
func (s *reporter) goBeyond(v *Violation) (found []Violation) {
	for m := range replayers(s.m, makesPromises(v.Schedule)) {
		t := newConcretiser(m)
		t.forgiving = v.After
		if !t.performs(v.Schedule) || t.s.Violation.Kind != v.Kind || t.s.Open() {
			continue
		}
		if t = t.on(s.m); t == nil {
			return nil
		}
		b := s.searchAfter(&raceSearch{path: t, steps: minBehind + s.stats.Steps - s.spent, after: true})
		t.forgiving = true
		b.run()
		s.spent += b.stats.Steps
		for i := range b.result.Violations {
			b.result.Violations[i].After = true
		}
		return b.result.Violations
	}
	return nil
}

// searchAfter returns a search for what goes wrong after a race. It knows what was found before.
func (s *reporter) searchAfter(b *raceSearch) *search {
	t := s.searchBehind(b)
	t.opt.All, t.known = true, s.known
	t.result.LoadBuffering, t.result.Promises = s.result.LoadBuffering, s.result.Promises // whether what has no way out may have one all the same
	t.visited = &localSet{set: store.NewTable(0)}
	t.por = por.Reducer{Mode: s.por.Mode, Machine: s.m}
	return t
}
