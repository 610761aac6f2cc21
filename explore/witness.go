package explore

import "github.com/clmc/clmc/state"

// witness keeps the schedule of the execution that has come to its end at s.cur, under the key of its
// outcome, while fewer have been kept than asked for. Where units that are alike have changed names the
// execution that is found may have another outcome of the like, and is not kept.
func (s *search) witness(key string) {
	if len(s.witnesses) >= s.opt.Witnesses {
		return
	}
	t := s.toldPath()
	t.shows = func(n *state.State) bool { return n.Done() && string(s.m.OutcomeKey(n, nil)) == key }
	if moves, found := t.schedule(); found {
		s.keepWitness(key, moves)
	}
}

func (s *search) keepWitness(key string, moves []Move) {
	if s.witnesses == nil {
		s.witnesses = map[string][]Move{}
	}
	s.witnesses[key] = moves
}
