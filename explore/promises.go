package explore

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
)

// allowPromises lets work-items promise writes where that is asked for and can
// matter, and reports whether it does. With them executions are not counted once each, and dynamic reduction
// has nothing on sleep sets if states are not kept.
func (s *search) allowPromises() bool {
	if s.opt.Promises < 0 {
		s.result.LoadBuffering = s.mayBuffer()
		return false
	}
	look := loadbuffering.Where
	switch {
	case s.opt.everywhere:
		look = loadbuffering.Everywhere
	case s.opt.needless:
		look = loadbuffering.Anywhere
	}
	where, matters := look(s.m)
	if s.opt.POR == por.None || s.opt.All {
		// Each is made whenever it can; and what goes wrong first on a path depends on what is promised.
		where.Enough, where.Unaided = nil, false
	}
	s.result.LoadBuffering = matters
	if !matters {
		return false
	}
	s.result.Promises = s.opt.owing()
	s.m.Promises().Allow(s.result.Promises, where)
	if s.opt.POR == por.DPOR && s.opt.NoCache {
		s.opt.POR = por.Sleep
	}
	return true
}

// owing is how many writes a unit may owe at a time, where it may owe some.
func (o *Options) owing() int {
	if o.Promises == 0 {
		return DefaultPromises
	}
	return o.Promises
}

// mayBuffer reports whether promises can make a difference, as far as the code alone tells.
func (s *base) mayBuffer() bool {
	if s.opt.everywhere {
		_, some := loadbuffering.Everywhere(s.m)
		return some
	}
	return loadbuffering.May(s.m)
}

// leftOut reports whether promises that can make a difference are left out. Where the text of the program alone does not decide that, the
// analysis of threads is made now, when it is first asked for.
func (s *reporter) leftOut() bool {
	r := s.result
	if r.LoadBuffering && r.Promises == 0 && !s.opt.everywhere && !s.opt.needless {
		r.LoadBuffering = loadbuffering.Matters(s.m)
	}
	return r.LoadBuffering && r.Promises == 0
}

// forStates returns the bytes that visited states may occupy: all, but for what the
// machine remembers of certifying.
func (s *base) forStates() int {
	if s.result.Promises == 0 || s.opt.Mem == 0 {
		return s.opt.Mem
	}
	return s.opt.Mem - s.m.Promises().Remember(s.opt.Mem/4)
}

// checkPromises notes the executions that bounds on promises have cost.
func (s *reporter) checkPromises() {
	if s.result.Promises == 0 {
		return
	}
	bounded, endless := s.m.Promises().Limits()
	if bounded {
		s.incomplete(fmt.Sprintf("a work-item can have more than %d writes visible early (--promises)", s.result.Promises))
	}
	if endless {
		s.incomplete("a work-item has too many ways to go on alone: clmc cannot determine which of its writes may become visible early")
	}
}

// tryPromises has unit u, which is about to read, read each write that another
// unit can promise now. That is early enough for most promises: until a unit
// reads the promise, it makes a difference only to its own unit, which can make it
// for as long as it can keep it.
// docs/exploration/promises.md, "Promises".
func (s *expander) tryPromises(f *frame, u memmodel.Unit, sleep por.Set) {
	x := s.m.Reading(s.cur, u)
	if x < 0 {
		return
	}
	s.eachOffer(s.cur, u, x, func(at *state.State, p Move) {
		if s.alarm.ringing() {
			s.lookUp()
		}
		if at.Abandoned { // somebody cannot keep an older promise now
			s.cutShort(f)
			return
		}
		from := len(s.choices)
		s.choices = s.m.Choices(at, u, s.choices)
		to := len(s.choices)
		for j := from; j < to && !s.stopped; j++ {
			if c := s.choices[j]; readsPromise(c, p) {
				s.moves, s.wrote = s.moves[:0], s.wrote[:0]
				s.outcome(f, at, u, c, s.beforehand(s.cur, p, sleep))
			}
		}
		s.choices = s.choices[:from]
	})
}

// eachOffer calls f with the state to which each promise of a write of location x, by another unit than u, leads from n.
// The state is abandoned if some unit cannot keep what it owes then. It is valid until f returns.
func (s *expander) eachOffer(n *state.State, u memmodel.Unit, x memmodel.Loc, f func(at *state.State, p Move)) {
	from := len(s.choices)
	at := s.state()
	defer s.release(at)
	for v := range n.Cast.Count() {
		if v == u {
			continue
		}
		s.choices = s.m.Promises().Offers(n, v, x, s.choices[:from])
		to := len(s.choices)
		for i := from; i < to && !s.stopped; i++ {
			p := Move{v, s.choices[i]}
			at.CopyFrom(n)
			s.m.Try(at, p.Unit, p.Choice)
			f(at, p)
		}
	}
	s.choices = s.choices[:from]
}

// readsPromise reports whether a choice of a unit reads what has just been promised.
func readsPromise(c state.Choice, p Move) bool { return c.Back == p.Choice.Back && c.Promise == 0 }
