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

// witnessed keeps the execution that s.cur ends, if it is one that is looked for, and stops.
func (s *search) witnessed() {
	if s.opt.Witness == nil || s.result.Witness != nil || s.behind != nil {
		return
	}
	if !s.opt.Witness(named(s.m.Outcome(s.cur, nil))) {
		return
	}
	s.moves = s.moves[:0]
	var v Violation
	v.Kind = state.NoViolation
	s.schedule(&v, s.cur)
	s.result.Witness = &v
	s.stop("the search stopped at the first execution that was asked for")
}

// named gives the values of one outcome their names: the long ones where that is needed to tell two
// of them apart.
func named(values []state.Value) map[string]int64 {
	times := map[string]int{}
	for _, v := range values {
		times[v.Name]++
	}
	o := make(map[string]int64, len(values))
	for _, v := range values {
		if times[v.Name] > 1 {
			v.Name = v.Long
		}
		o[v.Name] = v.Value
	}
	return o
}
