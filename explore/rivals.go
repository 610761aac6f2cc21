package explore

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// maxRivals is the largest number of outcomes that are compared with each other.
const maxRivals = 16

// idle stands for a rival that is plainly a round of waiting.
var idle = &state.State{}

// tryRivals performs each outcome of the next operation of unit u, a load, and
// goes on with those that no other one dominates. That one is a round of waiting
// shows later, whether or not another one is.
func (s *expander) tryRivals(f *frame, u memmodel.Unit, choices []state.Choice, sleep por.Set) {
	s.rivals = s.rivals[:0]
	for _, c := range choices {
		if s.idles(f, u, c) { // and dominates nothing but other rounds
			s.rivals = append(s.rivals, idle)
			continue
		}
		next := s.state()
		next.CopyFrom(s.cur)
		s.m.Try(next, u, c)
		s.rivals = append(s.rivals, next)
	}
	for i, next := range s.rivals {
		if next != idle && !s.por.Spins(s.cur, next, u) && s.dominated(i) {
			s.stats.Steps++
			s.stats.Saved.Dominated++
			s.release(next)
			s.rivals[i] = nil
		}
	}
	for i, next := range s.rivals {
		switch {
		case next == nil:
		case next == idle:
			if !s.stopped {
				s.round(f, choices[i])
			}
		case s.stopped:
			s.release(next)
		default:
			s.moves, s.wrote = s.moves[:0], s.wrote[:0]
			s.addKids(f, s.cur, next, u, choices[i], sleep)
			if s.alarm.ringing() {
				s.lookUp()
			}
		}
	}
}

// dominated reports whether a rival that is still there dominates number i.
func (s *expander) dominated(i int) bool {
	for j, other := range s.rivals {
		if j != i && other != nil && other != idle && other.Dominates(s.rivals[i]) {
			return true
		}
	}
	return false
}
