package explore

import (
	"context"
	"maps"
	"slices"

	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Where promises can matter, most violations need none, and a search without promises
// finds those in a fraction of the time. So it comes first. What it finds has been found:
// its executions are executions of the program. If it finds nothing, nothing follows, and
// the search with promises begins as if there had been none.

// firstEffort bounds what the first search does of one that is kept in a store, or shared with others, in steps of one unit: about a second of
// work. Searches that would take less take no more than twice the time, and others hardly
// any more. A bound on time would have runs differ.
const firstEffort = 1 << 18

// searchOf searches a program, first without promises where they may matter, and returns the search that has the last word. Whoever
// asks for it closes it. If there is none, there is a result.
// docs/exploration/promises.md, "First without".
func searchOf(ctx context.Context, p *ir.Program, opt Options) (last *search, unready *Result) {
	s, unready := analysed(ctx, p, opt)
	switch {
	case s == nil:
		return nil, unready
	case s.beginsWithout():
		return s.afterFirst(), nil
	}
	s.allowPromises()
	s.prepare()
	s.explore()
	return s, nil
}

// afterFirst searches without promises, and with them if that is not enough. It returns the search that has the last word.
func (s *search) afterFirst() (last *search) {
	opt := s.opt
	f := newSearch(s.ctx, s.m.Facts, opt)
	f.m.Effort.Count(0)
	f.prepare()
	if f.heed() {
		f.notBegun()
		return f
	}
	f.team.explore(f)
	enough, cut := f.paused == "" && f.found() && !opt.All, f.paused != ""
	if enough || cut || !s.allowPromises() {
		if enough {
			f.stats.First = f.stored()
		}
		f.wrapUp()
		if r := f.result; enough || cut {
			r.LoadBuffering, r.Promises, r.Unpromised, r.FirstCut = true, opt.owing(), enough, cut
		}
		return f
	}
	if s.noneReadable(f) {
		f.wrapUp()
		return f
	}
	f.close()
	s.goOnFrom(f)
	f = nil // and what it holds
	s.prepare()
	s.explore()
	return s
}

// beginsWithout reports whether the search begins with one without promises that goes to its end. What is kept in a store or shared with others
// is only preceded by one (tryFirst).
func (s *search) beginsWithout() bool {
	return s.opt.Promises >= 0 && s.opt.Store == nil && len(s.opt.Links) == 0 && !s.opt.NoCache && s.opt.Wanted == nil && s.mayBuffer()
}

// stored returns how many states all workers have stored.
func (s *base) stored() int { return s.visited.stored() + s.stats.Shared.States }

// goOnFrom takes what a search without promises has found, which has come to its end.
func (s *search) goOnFrom(f *search) {
	s.hasFirst, s.began = true, f.began
	s.takeFrom(f)
}

// takeFrom takes what a search without promises has found, as far as it has come. All that it has met is met by executions of the program.
func (s *search) takeFrom(f *search) {
	s.stats.First, s.stats.FirstAll = f.stored(), f.foundNone()
	if f.toItsEnd() {
		s.stats.FirstWork = max(int(f.m.Effort.Done()), 1)
		defer s.sayFirst(f)
	}
	known := found{Ended: f.ended}
	for _, key := range slices.Sorted(maps.Keys(f.outcomes.values)) { // so that runs tell the same
		known.Outcomes = append(known.Outcomes, savedOutcome{key, f.outcomes.values[key]})
	}
	s.tell(known)
	s.add(&known)
	s.m.Notes().Learn(f.m.Notes().Learnt())
	for key, moves := range f.witnesses {
		s.keepWitness(key, moves)
	}
	for i := range f.result.Violations {
		if v := &f.result.Violations[i]; s.opt.All && v.Kind.OfOneExecution() {
			s.report(v)
		}
	}
}

// sayFirst says what a search without promises has come to at its end.
func (s *search) sayFirst(f *search) {
	if s.opt.First == nil {
		return
	}
	f.count()
	f.restate()
	if !s.stats.FirstAll && f.result.Verdict == Verified { // but for points that are not reached without
		f.result.Verdict = Inconclusive
	}
	s.opt.First(f.result)
}

// tryFirst searches without promises and reports whether that is enough: it has found a violation, and one was asked for. If all
// were, it goes on to its end, and what it has found stays found whatever bound the search with promises meets.
// docs/exploration/promises.md, "First without".
func (s *search) tryFirst() bool {
	if s.result.Promises == 0 || s.opt.NoCache || s.opt.Wanted != nil {
		return false
	}
	opt := s.opt
	opt.Store, opt.Workers, opt.Links, opt.Exact, opt.Progress = nil, 1, nil, false, nil
	f := newSearch(s.ctx, s.m.Facts, opt)
	defer f.close()
	f.whole = s
	f.m.Effort.Count(0)
	if !s.opt.All {
		f.effort = max(firstEffort/len(f.m.Start(nil).Cast.Units), 1)
	}
	f.prepare()
	f.run()
	if s.opt.All || !f.found() {
		s.takeFrom(f)
		return false
	}
	s.stats.First = f.visited.stored()
	f.finish()
	s.m.Notes().Learn(state.Learnt{LegacyShared: f.m.Notes().Learnt().LegacyShared})
	f.stats.First = s.stats.First
	s.stats, s.outcomes, s.witnesses, s.faults, s.ended, s.byFirst = f.stats, f.outcomes, f.witnesses, f.faults, f.ended, true
	s.result.Violations, s.result.Incomplete, s.result.Unpromised = f.result.Violations, f.result.Incomplete, !f.usesPromises()
	return true
}

// usesPromises reports whether a violation that has been found needs promises after all.
func (s *reporter) usesPromises() bool {
	return slices.ContainsFunc(s.result.Violations, func(v Violation) bool {
		return makesPromises(v.Schedule)
	})
}

// found reports whether a search has found something that one execution shows, whatever
// others there are.
func (s *reporter) found() bool {
	for i := range s.result.Violations {
		if !s.result.Violations[i].Kind.OfOneExecution() {
			return false
		}
	}
	return len(s.result.Violations) > 0
}

// foundNone reports whether a search has explored every execution, none goes wrong, and all that they are to reach is reached.
func (s *search) foundNone() bool {
	over := s.toItsEnd() && !s.stopped && s.ended
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
