package explore

import (
	"github.com/clmc/clmc/por"
)

// A promise that nobody reads makes no difference, and the first promise that some unit reads is read in a state to which no other has
// led. So a search that makes none comes to all states in which that could happen.

// Bounds on the search that sees whether a promise could be read, in steps: so many times those of the search without promises, and some in
// any case.
const (
	watchTimes = 4
	watchLeast = 1 << 13
)

// noneReadable reports whether no promise can be read in any execution, for all that a search without promises shows which is the same
// as f but for what it leaves out. f has come to its end.
// docs/exploration/promises.md, "Where none can be read".
func (s *search) noneReadable(f *search) bool {
	switch opt := &s.opt; {
	case opt.POR != por.DPOR, opt.needless, opt.everywhere, opt.Aside, s.m.Keep != 0, !f.toItsEnd(), len(f.result.Violations)+len(f.result.Incomplete) > 0:
		return false
	case s.m.Traits.SeqCst, s.m.Beyond, s.m.DeviceQueue, s.m.Maps, len(s.m.Copies) > 0:
		return false
	}
	opt := s.opt
	opt.Store, opt.Workers, opt.Links, opt.Exact, opt.Progress = nil, 1, nil, false, nil
	w := newSearch(s.ctx, s.m.Facts, opt)
	defer w.close()
	where := s.m.Promises().Where()
	where.Always, where.Enough = true, nil
	w.m.Promises().Allow(s.result.Promises, where)
	w.watches, w.effort = true, max(watchTimes*f.stats.Steps, watchLeast)
	w.prepare()
	w.run()
	none := !w.readable && w.atEnd() && len(w.result.Violations)+len(w.result.Incomplete) == 0
	if none {
		s.result.LoadBuffering, s.result.Promises = false, 0
	}
	return none
}
