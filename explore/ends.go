package explore

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// Ends: states in which no unit can take a step, or which every step leads back to.

// terminal handles a state in which no unit can take a step.
func (s *expander) terminal(f *frame) {
	n := s.cur
	if n.Open() {
		s.stats.Blocked++
		return
	}
	f.fate.out = true
	s.m.Notes().Reached(n)
	if s.onlyRaces() {
		s.endsWithoutRace()
		return
	}
	if !n.Done() {
		if n.Failed() {
			return // who has failed need not get on, nor who waits for him
		}
		s.moves = s.moves[:0]
		u, pc := n.Waiting()
		n.Violation = state.Violation{Kind: state.Deadlock, Unit: u, PC: pc}
		s.violation(n)
		return
	}
	if s.behind != nil || n.PastRace {
		return
	}
	s.stats.Ends++
	if !s.ended {
		s.ended = true
		s.tell(found{Ended: true})
	}
	s.key = n.OutcomeKey(s.m.Program, s.key[:0])
	if isNew := !s.outcomes.has(s.key); isNew || s.opt.Wanted != nil {
		o := savedOutcome{string(s.key), s.m.Notes().Outcome(n, nil)}
		if isNew {
			s.addOutcome(o)
			s.tell(found{Outcomes: []savedOutcome{o}})
		}
		s.witness(o.Key)
	}
}

// checkProgress reports a state that has been expanded and leads nowhere but
// to itself: all units that are left wait for values that never come. A unit whose steps are all
// abandoned, for example by a failed assumption, leads nowhere either, and does not wait.
func (s *expander) checkProgress(f *frame, all []memmodel.Unit, sleep por.Set) {
	if len(f.successors) == 0 && sleep == 0 || s.stopped || !f.stuck() {
		return
	}
	if sleep != 0 { // those who sleep may yet get on
		s.drop(f)
		found := s.faults
		s.try(f, all, 0)
		if s.faults != found || len(f.successors) == 0 || !f.stuck() {
			s.drop(f)
			return
		}
	}
	s.checkWaiting(f)
}

// busy reports whether unit u of n does more than wait if its next step changes nothing.
func (s *base) busy(n *state.State, u memmodel.Unit) bool {
	return s.m.Reading(n, u) < 0 || s.por.Storing(n, u)
}

// deadlock reports that unit u, and all others that are left, wait for ever at
// s.cur, the state of the frame.
func (s *expander) deadlock(f *frame, u memmodel.Unit) {
	f.fate.out = true
	if s.onlyRaces() {
		s.endsWithoutRace()
		return
	}
	if s.cur.Failed() {
		return
	}
	s.cur.Violation = state.Violation{Kind: state.Deadlock, Unit: u, PC: s.cur.PC(u)}
	s.violation(s.cur)
}

// stuck reports whether all successors are the frame's own state, each after a single step.
// A round of more steps is no wait, even if its first is a read: it may store.
func (f *frame) stuck() bool {
	return !slices.ContainsFunc(f.successors, func(k successor) bool { return !k.is(f) || k.moveTo-k.moveFrom > 1 })
}
