package explore

import (
	"slices"

	"github.com/clmc/clmc/state"
)

// Witnesses: executions in which nothing goes wrong, kept to show how an outcome comes about.

// witness keeps the schedule of the execution that has come to its end at s.cur, under the key of its
// outcome, while fewer have been kept than asked for. If it is known which outcomes are asked for, the
// search stops when there are enough.
func (s *reporter) witness(key string) {
	if len(s.witnesses) >= s.opt.Witnesses || s.witnesses[key] != nil || !s.wants(s.outcomes.values[key]) {
		return
	}
	t := s.concretePath()
	t.shows = func(n *state.State) bool { return n.Done() && string(n.OutcomeKey(s.m.Program, nil)) == key }
	moves, found := t.schedule()
	if !found { // there may be another execution with this outcome
		return
	}
	s.keepWitness(key, moves)
	if s.opt.Wanted != nil && len(s.witnesses) == s.opt.Witnesses {
		s.stop("the search stopped at the first execution that was asked for")
	}
}

func (s *reporter) keepWitness(key string, moves []Move) {
	if s.witnesses == nil {
		s.witnesses = map[string][]Move{}
	}
	s.witnesses[key] = moves
}

// wants reports whether executions with an outcome are asked for.
func (s *reporter) wants(values []state.Value) bool {
	return s.opt.Wanted == nil || s.opt.Wanted(func(name string) (int64, bool) { return s.outcomes.names.Value(values, name) })
}

// shows reports whether an execution that has come to its end without a violation is one that is
// asked for.
func (s *reporter) shows(n *state.State) bool {
	return !n.Open() && n.MessageBoundHit == state.NoLimit && s.wants(s.m.Notes().Outcome(n, nil))
}

// untold notes if there are executions that were asked for, none of which can be told.
func (s *reporter) untold() {
	if s.opt.Wanted == nil || len(s.witnesses) > 0 {
		return
	}
	for _, values := range s.outcomes.values {
		if s.wants(values) {
			s.lacks("an execution with such an outcome exists, but cannot be told")
		}
	}
}

// shortenWitnesses replaces executions that were asked for by shorter ones with outcomes that are
// asked for as well.
func (s *reporter) shortenWitnesses() {
	if s.opt.KeepSchedule || s.opt.Wanted == nil {
		return
	}
	keys := make([]string, 0, len(s.witnesses))
	for key := range s.witnesses {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		v := Violation{Schedule: s.witnesses[key]}
		path, _ := s.among(&v, nil)
		if path == nil {
			continue
		}
		delete(s.witnesses, key)
		key = string(path.s.OutcomeKey(s.m.Program, nil))
		s.addOutcome(savedOutcome{key, s.m.Notes().Outcome(path.s, nil)})
		s.keepWitness(key, v.Schedule)
	}
}
