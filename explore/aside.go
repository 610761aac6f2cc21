package explore

import (
	"slices"

	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// Whoever says that a data race is known, and sets it aside, takes it for harmless, and wants to be told of everything else.
// So with Options.Aside and Options.Beyond no path ends at a race: the racing read has returned the newest value that
// it may see, and the execution goes on. What goes wrong before a race, or after one without depending on what was read in
// it, is a violation like others. What depends on that is a consequence of the race, and the path goes on behind it.
// docs/exploration/races.md, "Races that are set aside".

// pastRaces reports whether all paths of the search go on behind data races.
// docs/exploration/races.md, "Beyond races that are known".
func (s *reporter) pastRaces() bool { return s.opt.Aside && s.opt.Beyond && s.behind == nil }

// forgives reports whether the search goes on at present behind violations of a kind, whatever they depend on: behind data races, and
// behind reads of uninitialised memory, which return 0 then.
func (s *reporter) forgives(k state.Kind) bool {
	return (k == state.DataRace || k == state.UninitialisedRead) && (s.pastRaces() || s.behind != nil && s.behind.after)
}

// setAside reports a violation of a search whose paths go on behind data races, which was called so before its units had
// the names that they have in the report. The result is whether it is only the consequence of a race.
func (s *reporter) setAside(v *Violation, was string) (consequence bool) {
	if v.After && s.depends(v) {
		if v.Depends = true; !s.known[v.key()] {
			s.report(v)
		}
		return true
	}
	s.report(v)
	s.known[was] = true
	return false
}

// maxAsked bounds the moves of the executions that are asked about in all, beside a share of the steps that the search has taken.
const maxAsked = 1 << 18

// depends reports whether a violation depends on what was read in a data race. Where that cannot be found out any more
// it does not, and is unsettled: what is not known to be a consequence is reported.
func (s *reporter) depends(v *Violation) bool {
	if s.opt.Depends == nil {
		return false
	}
	if s.asked += len(v.Schedule) + 1; s.asked > maxAsked+s.stats.Steps/4 || s.ctx.Err() != nil {
		v.Unsettled = true
		return false
	}
	return s.opt.Depends(v)
}

// beside reports a failure in an execution that has a data race after it, if all violations are asked for and the failure does not depend
// on that race.
func (s *reporter) beside(v, race *Violation) {
	if !s.opt.All || !v.Unsettled && (s.opt.Depends == nil || race.Failed == state.NoViolation || race.Untold) {
		return
	}
	if w := *race; v.Unsettled || !s.depends(&w) {
		v.Beside, v.Unsettled = !v.Unsettled && !w.Unsettled, v.Unsettled || w.Unsettled
		s.report(v)
		race.Failed, race.FailedUnit, race.FailedPC, race.FailedLine = state.NoViolation, 0, 0, ""
	}
}

// ordersEffort bounds, in steps, the search for what goes wrong before a race.
const ordersEffort = 1 << 18

// inAllOrders looks for what goes wrong before a race that is set aside in any order of the units, if only races, and what comes of
// them, were found. Ordinary accesses are no choices for a reduced search, which takes one order of two that race:
// a unit that would have failed, had it read before the other wrote, may not have in that one.
func (s *search) inAllOrders() {
	r := s.result
	if s.opt.POR == por.None || s.ctx.Err() != nil || s.paused != "" || !r.Has(state.DataRace) || slices.ContainsFunc(r.Violations, func(v Violation) bool { return s.counts(&v) }) {
		return
	}
	opt := s.opt
	opt.POR, opt.Promises, opt.Store, opt.Workers, opt.Links, opt.Exact, opt.Progress = por.None, NoPromises, nil, 1, nil, false, nil
	f := newSearch(s.ctx, s.m.Facts, opt)
	defer f.close()
	f.effort = ordersEffort
	f.prepare()
	f.run()
	r.OneOrder = f.stopped || f.stats.Steps >= f.effort || len(f.result.Incomplete) > 0
	for i := range f.result.Violations {
		if v := &f.result.Violations[i]; f.counts(v) && v.Kind.OfOneExecution() {
			s.simplify(v)
			s.report(v)
		}
	}
}

// counts reports whether a violation is neither a data race that is set aside nor the consequence of one. Where the program does not
// say which races are known, all are set aside.
func (s *reporter) counts(v *Violation) bool {
	aside := v.Fault.Known || s.m.Program.Forgiven == nil
	return !(v.Kind == state.DataRace && aside) && !v.Depends
}

// withoutDoubles takes out of the violations what is there without a race, or without depending on one, too.
func (r *Result) withoutDoubles() {
	has := map[string]bool{}
	for i := range r.Violations {
		has[r.Violations[i].key()] = true
	}
	kept := r.Violations[:0]
	for _, v := range r.Violations {
		w := v
		w.After, w.Depends = false, false
		clean := has[w.key()]
		w.After = true
		if (v.After || v.Depends) && clean || v.Depends && has[w.key()] {
			continue
		}
		kept = append(kept, v)
	}
	r.Violations = kept
}
