package liveness_test

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutantsOfLiveness breaks the search for executions that go on for ever, and what is left out of it, in one way after the other, and sees the tests
// with known verdicts fail.
func TestMutantsOfLiveness(t *testing.T) {
	mutant.Try(t, liveMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^(TestByHand|TestFacts|TestSymmetricByHand|TestConduct)$", ".")
	})
}

var liveMutants = mutant.List([][5]string{
	{"who need not come may stop before a step that others notice", "explore/liveness/expand.go",
		"	return x.opt.AtOnce == Started || (", "	return true || (", ""},
	{"who has not started need not come", "explore/liveness/expand.go",
		"	case x.opt.Starts && !has(started, u):\n", "	case false:\n", ""},
	{"a store is noticed", "explore/liveness/expand.go",
		"	case in.Op.Access() && in.Order == memmodel.NonAtomic:\n", "	case in.Op.Access():\n", ""},
	{"nobody sleeps", "explore/liveness/graph.go",
		"		x.each(s, started, -1, add)\n", "		asleep := memmodel.Unit(-1)\n		if e := g.parents[n].edge; n > 0 && g.edges[e].unit > 0 {\n			asleep = memmodel.Unit(g.edges[e].unit) - 1\n		}\n		x.each(s, started, asleep, add)\n", ""},
	{"nobody is ignored for ever", "explore/liveness/graph.go",
		"	if known && x.por.ComesBack(s, u) {", "	if false {", ""},
	{"a read that others may write is no step at once", "por/reducer.go",
		"	return x < 0 || !r.MayBeWritten(s, u, x)\n}", "	return x < 0 || !r.MayBeWritten(s, u, x) || r.Machine.Modifying(s, u)\n}", ""},
	{"outcomes that others dominate are tried", "explore/liveness/expand.go",
		"	for _, c := range por.Moves(x.m, s, u, nil) {\n", "	for _, c := range por.Moves(x.m, s, u, nil)[:1] {\n", ""},
	{"under strong fairness rounds of waiting are steps", "explore/liveness/decide.go",
		"a.heedsAll() }, Options{AtOnce: Started})", "a.heedsAll() }, Options{AtOnce: Started, Rounds: true})", ""},
	{"lobe guarantees the highest that has started", "explore/liveness/tree.go",
		"slices.ContainsFunc(t.kids[i:], c.hasStarted)", "slices.ContainsFunc(t.kids[i+1:], c.hasStarted)", ""},
	{"who makes a step has started then", "explore/liveness/graph.go",
		"g.node(x, st.next, st.started,", "g.node(x, st.next, started[:len(st.started)],", ""},
	{"7.9 old messages are not read for ever", "explore/liveness/scc.go",
		"			if z.forbid(c) {\n", "			if false {\n", ""},
	{"7.9 where the newest message changes, old ones are read for ever", "explore/liveness/scc.go",
		"d.flag&stale != 0 && !changes[d.loc] {\n			out", "d.flag&stale != 0 {\n			out", ""},
	{"who is lower depends on names", "explore/liveness/decide.go",
		"		return x != Fair && (x != OBE || shared)\n", "		return x == Unfair && shared\n", ""},
	{"hsa guarantees whoever is the lowest that can make a step", "explore/liveness/tree.go",
		"	for _, k := range t.kids[:i] {\n		for _, e", "	for _, k := range t.kids[:min(i, 1)] {\n		for _, e", ""},
	{"somebody makes steps", "explore/liveness/tree.go",
		"		some = some || good && c.goes(k)\n", "		some = some || good\n", ""},
	{"who is blocked again and again is owed nothing", "explore/liveness/tree.go",
		"	if c.off(t.members) {\n		return true\n	}\n	if t.unit", "	if t.unit", ""},
	{"under strong fairness who need not come leads nowhere", "explore/liveness/check.go",
		"			if f[g.edges[e].unit] {\n", "			if true {\n", ""},
	{"a weak compare-exchange does not fail for ever", "explore/liveness/scc.go",
		"		if e.flag&spurious != 0 {", "		if e.flag&spurious != 0 && len(g.rooms) > 1<<20 {", ""},
})
