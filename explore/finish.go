package explore

import (
	"maps"
	"slices"

	"github.com/clmc/clmc/state"
)

// finish turns what was found into the result.
func (s *search) finish() {
	r := s.result
	if !s.opt.KeepSchedule {
		for i := range r.Violations {
			s.simplify(&r.Violations[i])
		}
	}
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

// twice finds the names that two values of one outcome have.
func (s *search) twice() map[string]bool {
	twice := map[string]bool{}
	for _, values := range s.outcomes {
		seen := make(map[string]bool, len(values))
		for _, v := range values {
			twice[v.Name] = twice[v.Name] || seen[v.Name]
			seen[v.Name] = true
		}
	}
	return twice
}

// sortedOutcomes returns the outcomes in the order of their texts.
func (s *search) sortedOutcomes() []map[string]int64 {
	s.result.Witnesses = make(map[string][]Move, len(s.witnesses))
	byText := make(map[string]map[string]int64, len(s.outcomes))
	twice := s.twice()
	for key, values := range s.outcomes {
		o := make(map[string]int64, len(values))
		for _, v := range values {
			if twice[v.Name] {
				v.Name = v.Long
			}
			o[v.Name] = v.Value
		}
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
