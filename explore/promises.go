package explore

import (
	"fmt"

	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/buffering"
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
