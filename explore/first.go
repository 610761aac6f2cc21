package explore

import (
	"slices"

	"github.com/clmc/clmc/state"
)

// Where promises can matter, most violations need none, and a search without promises
// finds those in a fraction of the time. So it comes first. What it finds has been found:
// its executions are executions of the program. If it finds nothing, nothing follows, and
// the search with promises begins as if there had been none.

// firstEffort bounds what the first search does, in steps of one unit: about a second of
// work. Searches that would take less take no more than twice the time, and others hardly
// any more. A bound on time would have runs differ.
const firstEffort = 1 << 18

// tryFirst searches without promises and reports whether that is enough: it has found a violation, and one was asked for. If all
// were, it goes on to its end, and what it has found stays found whatever bound the search with promises meets.
// docs/exploration.md, "First without".
func (s *search) tryFirst() bool {
	if s.result.Promises == 0 || s.opt.NoCache || s.opt.Wanted != nil {
		return false
	}
	opt := s.opt
	opt.Store, opt.Workers, opt.Links, opt.Exact, opt.Progress = nil, 1, nil, false, nil
	f := newSearch(s.ctx, s.m.Facts, opt)
	defer f.close()
	f.whole = s
	if !s.opt.All {
		f.effort = max(firstEffort/len(f.m.Start(nil).Cast.Units), 1)
	}
	f.prepare()
	f.run()
	s.stats.First, s.stats.FirstAll = f.visited.stored(), f.foundNone()
	if s.opt.All {
		for i := range f.result.Violations {
			if v := &f.result.Violations[i]; v.Kind.OfOneExecution() {
				s.report(v)
			}
		}
		return false
	}
	if !f.found() {
		return false
	}
	f.finish()
	s.m.Notes().Learn(state.Learnt{LegacyShared: f.m.Notes().Learnt().LegacyShared})
	f.stats.First = s.stats.First
	s.stats, s.outcomes, s.witnesses, s.faults, s.ended, s.byFirst = f.stats, f.outcomes, f.witnesses, f.faults, f.ended, true
	s.result.Violations, s.result.Incomplete, s.result.Unpromised = f.result.Violations, f.result.Incomplete, !f.usesPromises()
	return true
}

// usesPromises reports whether a violation that has been found needs promises after all.
func (s *search) usesPromises() bool {
	return slices.ContainsFunc(s.result.Violations, func(v Violation) bool {
		return makesPromises(v.Schedule)
	})
}

// found reports whether a search has found something that one execution shows, whatever
// others there are.
func (s *search) found() bool {
	for i := range s.result.Violations {
		if !s.result.Violations[i].Kind.OfOneExecution() {
			return false
		}
	}
	return len(s.result.Violations) > 0
}

// foundNone reports whether a search has explored every execution, none goes wrong, and all that they are to reach is reached.
func (s *search) foundNone() bool {
	over := len(s.stack) == 0 && !s.stopped && s.paused == "" && s.ended
	return over && len(s.result.Violations)+len(s.result.Incomplete)+len(s.m.Notes().Unreached()) == 0
}

// firstWasEnough keeps what the first search has found as the result.
func (s *search) firstWasEnough() {
	s.stopped = true
	s.start()
	s.lastCheckpoint()
	if s.exchange != nil {
		s.tell(found{Violations: s.result.Violations, Incomplete: s.result.Incomplete, Unpromised: s.result.Unpromised})
		s.sayLast()
	}
	s.restate()
}
