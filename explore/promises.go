package explore

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/buffering"
	"github.com/clmc/clmc/state"
)

// allowPromises lets work-items promise writes where that is asked for and can
// matter. With them executions are not counted once each, and dynamic reduction
// has nothing on sleep sets if states are not kept.
func (s *search) allowPromises() {
	s.result.LoadBuffering = buffering.Matters(s.m) || s.opt.needless && buffering.May(s.m)
	if !s.result.LoadBuffering || s.opt.Promises < 0 {
		return
	}
	if s.result.Promises = s.opt.Promises; s.opt.Promises == 0 {
		s.result.Promises = DefaultPromises
	}
	s.m.Promises().Allow(s.result.Promises, buffering.Where(s.m))
	if s.opt.POR == por.DPOR && s.opt.NoCache {
		s.opt.POR = por.Sleep
	}
}

// forStates returns the bytes that visited states may occupy: all, but for what the
// machine remembers of certifying.
func (s *search) forStates() int {
	if s.result.Promises == 0 || s.opt.Mem == 0 {
		return s.opt.Mem
	}
	return s.opt.Mem - s.m.Promises().Remember(s.opt.Mem/4)
}

// checkPromises notes the executions that bounds on promises have cost.
func (s *search) checkPromises() {
	if s.result.Promises == 0 {
		return
	}
	bounded, endless := s.m.Promises().Limits()
	if bounded {
		s.incomplete(fmt.Sprintf("a work-item can have more than %d writes visible early (--promises)", s.result.Promises))
	}
	if endless {
		s.incomplete("a work-item has too many ways to go on alone to tell which writes it can make visible early")
	}
}

// tryPromises has unit u, which is about to read, read each write that another
// unit can promise now. That is early enough for most promises: until somebody
// reads it, it makes no difference to anybody but its unit, which can promise it
// as long as it can keep it.
// docs/exploration.md, "Promises".
func (s *search) tryPromises(f *frame, u memmodel.Unit, sleep por.Set) {
	x := s.m.Reading(s.cur, u)
	if x < 0 {
		return
	}
	s.tryOffers(f, x, u, func(at *state.State, p Move) {
		from := len(s.choices)
		s.choices = s.m.Choices(at, u, s.choices)
		to := len(s.choices)
		for j := from; j < to && !s.stopped; j++ {
			if c := s.choices[j]; c.Back == p.Choice.Back && c.Promise == 0 {
				s.moves, s.wrote = append(s.moves[:0], p), s.wrote[:0]
				s.writes(at, p.Unit, x)
				s.outcome(f, at, u, c, s.por.Wake(sleep, x, -1).Without(p.Unit))
			}
		}
		s.choices = s.choices[:from]
	})
}

// tryOffers calls try with the states that promises of writes of x, by other units
// than u, lead to from s.cur.
func (s *search) tryOffers(f *frame, x memmodel.Loc, u memmodel.Unit, try func(*state.State, Move)) {
	from := len(s.choices)
	at := s.state()
	defer s.release(at)
	for v := range s.cur.Cast.Count() {
		if v == u {
			continue
		}
		s.choices = s.m.Promises().Offers(s.cur, v, x, s.choices[:from])
		to := len(s.choices)
		for i := from; i < to && !s.stopped; i++ {
			c := s.choices[i]
			at.CopyFrom(s.cur)
			s.m.Try(at, v, c)
			if at.Abandoned { // somebody cannot keep an older promise now
				s.cutShort(f)
				continue
			}
			try(at, Move{v, c})
			if s.alarm.ringing() {
				s.lookUp()
			}
		}
	}
	s.choices = s.choices[:from]
}
