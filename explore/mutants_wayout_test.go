package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutantsOfWayOut breaks the search for what has no way out in one way after the
// other and sees the comparison with the definition, or what a checkpoint keeps, fail.
func TestMutantsOfWayOut(t *testing.T) {
	mutant.Try(t, wayOutMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^(TestNoWayOut|TestCircles|TestNoWayOutAfterRaces|TestNoWayOutFacts|TestNoWayOutOfAPartOfACycle|TestFateIsKept|TestRoundsThatStoreAreNoWaits|TestExchangesThatChangeAreNoWaits|TestFailuresBesideHangs|TestDeadlockBesideAssumption|TestFailedBesideRacesIsNotStuck)$", "-seeds", "25", ".")
	})
}

var wayOutMutants = mutant.List([][5]string{
	{"an exchange that changes the value is no wait", "por/spin.go",
		" && r.leaves(before, after, u)", "", ""},
	{"what a visited state leads to is out only if something ends there", "explore/termination.go",
		"out: note&open == 0 && note&outNote != 0,", "out: true,", ""},
	{"a component is probed before it closes", "explore/termination.go",
		"	if closed && !f.fate.out && !s.stopped {\n", "	if false {\n", ""},
	{"9.3 beyond races it is asked whether there is a way out", "explore/termination.go",
		"	if s.stopped || s.onlyRaces() || ", "	if s.stopped || s.behind != nil || ", ""},
	{"9.3 who has failed beside a race need not get on", "explore/ends.go",
		"		if n.Failed() {\n", "		if false {\n", ""},
	{"9.3 who waits for one that has failed beside a race is in no deadlock", "explore/ends.go",
		"	if s.cur.Failed() {\n", "	if false {\n", ""},
	{"9.3 who goes round for one that has failed beside a race may have a way out", "explore/termination.go",
		"	if s.heed() || n.Failed() {\n", "	if s.heed() {\n", ""},
	{"nobody sleeps in a probe", "explore/termination.go",
		"		s.try(f, all[i:i+1], 0)\n", "		s.try(f, all[i:i+1], por.Set(0).With(all[0]))\n", ""},
	{"a component that is left has a way out", "explore/termination.go",
		"			v.low, v.round = min(v.low, w.Note), true\n", "			v.round = true\n", ""},
	{"those who sleep after a turn that led back may go round", "explore/termination.go",
		"(!f.dpor.begun() || f.dpor.stage == outOfTurn || f.fate.cyclicAsleep.Has(was))", "(!f.dpor.begun() || f.dpor.stage == outOfTurn || was < 0)", ""},
	{"7.9 who waits may have seen the newest message", "explore/termination.go",
		"		if n := s.caughtUp(); n != nil {\n", "		if n := s.caughtUp(); false {\n", ""},
	{"who has written in a loop may leave it", "explore/circle.go",
		"	if !onlyRead {\n", "	if false {\n", ""},
	{"who counts in a loop may leave it", "explore/circle.go",
		"n.Repeats(&c.mark, u) {", "n.PC(u) == c.mark.PC(u) {", ""},
	{"11.8 where some execution ends, who waits need only be let run", "explore/termination.go",
		"\treturn child.fate.out || slices.ContainsFunc(child.successors, func(k successor) bool { return s.leavesBy(&k) })\n", "\treturn false\n", ""},
	{"a failed assumption is a way out", "explore/invisible.go",
		"\tif n.AssumptionFailed && !n.Open() {\n", "\tif false {\n", ""},
	{"who comes only to what is abandoned does not wait", "explore/ends.go",
		"	s.checkWaiting(f)\n", "	s.deadlock(f, all[0])\n", ""},
	{"a round of several steps is no wait", "explore/ends.go",
		"!k.is(f) || k.moveTo-k.moveFrom > 1", "!k.is(f)", ""},
	{"who ends a round of several reads may go round for ever", "explore/explore.go",
		"			f.fate.back, f.fate.round = true, true\n", "", ""},
	{"a checkpoint keeps what leads back", "explore/checkpoint.go",
		"Round: f.fate.round, ", "", ""},
	{"a checkpoint keeps what ends", "explore/checkpoint.go",
		"Out: f.fate.out, ", "", ""},
})

// TestMutantsOfAwaits tells waits that are none, or none that are.
func TestMutantsOfAwaits(t *testing.T) {
	mutant.Try(t, awaitMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^(TestAwaits(Unwritten)?|TestScheduled|TestWaitsGoOn)$", ".")
	})
}

var awaitMutants = mutant.List([][5]string{
	{"11.8 a wait goes on until another one writes", "explore/awaits.go",
		"			if a.waits(after, u) {\n", "			if false {\n", ""},
	{"11.8 and comes round to where it began", "explore/awaits.go",
		"			if next.Repeats(before, u) {\n", "			if true {\n", ""},
	{"11.8 who waits for a work-group waits for any of its own", "explore/awaits.go",
		"	case !p.Place.SameGroup(q.Place):\n		return true\n", "", ""},
	{"11.8 who reads what nobody has written does not wait", "explore/awaits.go",
		"x >= 0 && n.Mem.Messages(x) == 0 {", "false {"},
	{"11.8 sub-groups of a work-group go on", "explore/awaits.go",
		"	case p.Place.Sub != q.Place.Sub || p.Place.Copies():\n		return false\n", "", ""},
	{"a wait that one of the same work-group ends as well is not noted", "explore/scheduled.go",
		"	case len(found) > 0 && unfair.Verdict != liveness.Ends:\n", "	case len(found) > 0:\n", ""},
	{"a wait goes on for ever if the scheduler may have it so", "explore/scheduled.go",
		" && verifyLasso(l.m, x.moves, &Lasso{Question: unfair, Loop: x.loop}) == nil", " && unfair.Fairness == 0 && verifyLasso != nil", ""},
	{"work-items of one work-group that hinder each other are not noted", "explore/scheduled.go",
		"; groups > 1 || units == 1 ||", "; groups > 0 || units == 1 ||", ""},
	{"what leads back is asked about", "explore/dpor.go",
		"	s.cyclic = s.cyclic || note&open != 0\n", "", ""},
	{"who asks is not told that he may ask", "explore/awaits.go",
		"	if s.opt.NoAwaits || s.opt.Liveness != nil || !s.m.Loops", "	if s.opt.NoAwaits || !s.m.Loops", ""},
	{"11.8 who runs in lockstep comes by the loop", "explore/awaits.go",
		"	return p.Func != q.Func || !a.inLoop(p.Func, n.PC(u), n.PC(by))\n", "	return true\n", ""},
})
