package explore

import (
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
		}
	}
	s.untold()
	if s.opt.All && s.opt.Beyond {
		s.after()
	}
	if !s.stopped && len(r.Violations) == 0 || s.opt.All && !s.stopped {
		for _, str := range s.m.Unreached() {
			v := Violation{Line: s.m.Program.Strings[str]}
			v.Kind = state.Unreachable
			r.Violations = append(r.Violations, v)
		}
	}
	s.checkPromises()
	if len(r.Violations)+len(r.Incomplete) == 0 && !s.ended {
		s.lacks("no execution comes to an end: each fails an assumption")
	}
	s.count()
}

// restate fills in what follows from what is known of the search.
func (s *search) restate() {
	r := s.result
	r.Outcomes = s.sortedOutcomes()
	r.Stats, r.Paused = s.stats, s.paused != ""
	r.LegacyShared, r.LegacyScope = s.m.Learnt().LegacyShared, s.m.Program.LegacyScope
	if r.conclude(); (r.Verdict == Verified || r.Verdict == Inconclusive && r.Simulated != nil) && !s.uncovered {
		r.Unexecuted = s.m.Unexecuted()
	}
}

// sortedOutcomes returns the outcomes in the order of their texts.
func (s *search) sortedOutcomes() []map[string]int64 {
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
