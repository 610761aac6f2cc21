package explore

import (
	"fmt"
	"maps"
	"slices"

	"github.com/clmc/clmc/state"
)

// finish turns what was found into the result.
func (s *search) finish() {
	r := s.result
	switch {
	case s.opt.KeepSchedule:
	case s.opt.Wanted != nil:
		s.shortenWitnesses()
	default:
		for i := range r.Violations {
			s.simplify(&r.Violations[i])
			s.unrepeatable(&r.Violations[i])
		}
	}
	s.untold()
	switch {
	case s.pastRaces():
		s.inAllOrders()
		r.withoutDoubles()
		r.After = r.Has(state.DataRace)
	case s.opt.All && s.opt.Beyond:
		s.continuePastRaces()
	}
	if !s.stopped {
		s.unreached()
	}
	s.checkPromises()
	if len(r.Violations)+len(r.Incomplete) == 0 && !s.ended {
		s.lacks("no execution ends: each fails an assumption")
	}
	s.count()
}

// unreached says which points no execution reaches. An execution that goes wrong ends there, though
// other units may have been about to reach a point that what is wrong has nothing to do with: behind a
// violation nothing is known of a point that has not been seen.
// docs/exploration/violations.md, "Points".
func (s *reporter) unreached() {
	r, wrong := s.result, len(s.result.Violations) > 0
	for _, str := range s.m.Notes().Unreached() {
		label := s.m.Program.Strings[str]
		if wrong {
			s.lacks(fmt.Sprintf("it is not known whether an execution reaches %q: executions that go wrong end before", label))
			continue
		}
		v := Violation{Line: label}
		v.Kind = state.Unreachable
		r.Violations = append(r.Violations, v)
	}
}

// restate fills in what follows from what is known of the search.
func (s *search) restate() {
	r := s.result
	r.Outcomes = s.sortedOutcomes()
	r.Stats, r.Paused, r.Told = s.stats, s.paused != "", s.exchange != nil && s.exchange.told
	r.LegacyShared, r.LegacyScope = s.m.Notes().Learnt().LegacyShared, s.m.Program.LegacyScope
	r.conclude()
	s.awaited()
	if (r.Verdict == Verified || r.Verdict == Inconclusive && r.Simulated != nil) && !s.uncovered {
		r.Unexecuted, r.Unevaluated = s.m.Notes().Unexecuted(), s.m.Notes().Unevaluated()
	}
}

// sortedOutcomes returns the outcomes in the order of their texts.
func (s *reporter) sortedOutcomes() []map[string]int64 {
	s.result.Names = s.outcomes.names
	s.result.Witnesses = make(map[string][]Move, len(s.witnesses))
	byText := make(map[string]map[string]int64, len(s.outcomes.values))
	for key, values := range s.outcomes.values {
		o := s.outcomes.names.Listed(values)
		text := OutcomeKey(o)
		byText[text] = o
		if moves, ok := s.witnesses[key]; ok {
			s.result.Witnesses[text] = moves
		}
	}
	var sorted []map[string]int64
	for _, text := range slices.Sorted(maps.Keys(byText)) {
		sorted = append(sorted, byText[text])
	}
	return sorted
}
