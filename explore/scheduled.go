package explore

import (
	"slices"

	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Whether executions end may hang on which work-groups are scheduled. Where nobody has asked about that it is noted, with the places where work-groups
// wait for each other. No verdict hangs on it.

// Bounds on the graph that is asked where no wait was found and yet something is repeated: states of it, beside as many as the search has.
const (
	scheduledStates = 1 << 8
	scheduledMost   = 1 << 12
	scheduledEffort = 1 << 15 // of the machine
	firstLook       = 1 << 3  // states after which it is looked at first
	longestShown    = 1 << 8  // moves of an execution that is performed as it is, with all that it has written
)

// scheduled finds the places where work-groups wait for each other, so that their end hangs on the scheduler: the search has found no state without a way out, and some execution goes on for
// ever if work-groups are scheduled unfairly. A wait that was found, but that somebody of the same work-group would end, too, is none. Where nothing is sure, what was found is told.
// One of the executions that are given may be such a one. Only if none is, the graph is asked.
// docs/exploration/waiting.md, "Waits that nothing ends for certain".
func (s *search) scheduled(shown []lassoOf) {
	r := s.result
	var found []ir.Pos
	for _, w := range r.Awaits {
		if !w.Near && !slices.Contains(found, w.At) {
			found = append(found, w.At)
		}
	}
	l := s.liver(s.ctx)
	defer l.close()
	l.m.Effort.Count(scheduledEffort + int64(s.stats.Steps/awaitShare))
	if slices.ContainsFunc(shown, l.goesOnUnfairly) {
		r.Between = found
		return
	}
	unfair := s.ends(l, liveness.Unfair)
	switch {
	case len(found) > 0 && unfair.Verdict != liveness.Ends:
		r.Between = found
	case unfair.Verdict == liveness.Runs:
		// Who goes round alone waits for another work-group: of his own, whoever can make a step does. Several of one may hinder each other.
		if at, groups, units := l.readsIn(unfair.Lasso); groups > 1 || units == 1 || s.ends(l, liveness.Fair).Verdict == liveness.Ends {
			r.Between = []ir.Pos{at}
		}
	}
}

// goesOnUnfairly reports whether an execution goes on for ever though memory is fair, and all but work-groups are scheduled fairly. A long one is not tried.
func (l *search) goesOnUnfairly(x lassoOf) bool {
	unfair := liveness.Question{Levels: liveness.Whole(liveness.Unfair)}
	return len(x.moves) <= longestShown && verifyLasso(l.m, x.moves, &Lasso{Question: unfair, Loop: x.loop}) == nil
}

// ends asks whether every execution ends under a model of work-groups.
func (s *search) ends(l *search, x liveness.Model) liveness.Answer {
	return liveness.Decide(s.ctx, l.m, []liveness.Question{{Levels: liveness.Whole(x)}}, liveness.Options{Look: firstLook, Once: true, MaxStates: min(scheduledStates+s.stats.States, scheduledMost)}).Answers[0]
}

// readsIn returns where a work-item reads in the part of an execution that is repeated for ever, and how many work-groups make steps in it, and how many of their work-items.
func (l *reporter) readsIn(x *liveness.Lasso) (at ir.Pos, groups, units int) {
	t := newConcretiser(l.m)
	var canon memmodel.Canon
	l.m.Normalise(&canon, t.s)
	who, seen := map[memmodel.Unit]bool{}, map[memmodel.Place]bool{}
	for i, st := range slices.Concat(x.Stem, x.Loop) {
		if u := st.Unit; i >= len(x.Stem) && t.s.Cast.Units[u].Func >= 0 && !t.s.Cast.Units[u].Place.Host {
			who[u], seen[groupOf(t.s.Cast.Units[u].Place)] = true, true
			if in := l.m.Operation(t.s, u).Instr; at == (ir.Pos{}) && l.m.Reading(t.s, u) >= 0 && in.Op.Access() {
				at = l.m.Program.Positions[in.Pos]
			}
		}
		if t.concretise([]Move{{st.Unit, st.Choice}}); t.lost {
			break
		}
		l.m.Normalise(&canon, t.s)
	}
	return at, len(seen), len(who)
}
