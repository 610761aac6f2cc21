package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
	"github.com/clmc/clmc/internal/testkit/randprog"
)

// TestMutantsOfBeside breaks, in one way after the other, what says who may race with a round of waiting.
func TestMutantsOfBeside(t *testing.T) {
	mutant.Try(t, besideMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		run := "^(TestBeside|TestEndlessWaitRaces)$"
		if m.Tell != string(randprog.Beside) {
			run = "^TestOracle$"
		}
		return m.Survives(t, "-run", run, "-seeds", "100", "-styles", m.Tell, ".")
	})
}

var besideMutants = mutant.List([][5]string{
	{"what the host does beside a kernel counts", "state/concurrent.go",
		"			if comes {\n				code.Add(pc)\n", "			if comes && cmd.pending() {\n				code.Add(pc)\n", "beside"},
	{"and what it does if it never waits", "state/concurrent.go",
		"func(pc int) bool { return f.Code[pc].Op == ir.OpFinish })", "func(pc int) bool { return f.Code[pc].Op != ir.OpEnd })", "beside"},
	{"commands come one behind the other in one queue only", "state/concurrent.go",
		"(c.waitsFor(a, b) || c.waitsFor(b, a))", "a != b", "beside"},
	{"who has passed a barrier has others come there that are of its group", "state/concurrent.go",
		"unit.Group >= 0 && unit.Group == c.Units[u].Group &&", "unit.Group >= 0 &&", "beside"},
	{"what comes behind that barrier counts", "state/concurrent.go",
		"return m.oddFrom(c, part{unit: t, from: b, behind: true})\n", "return nil\n", "beside"},
	{"what another host thread does counts", "state/concurrent.go",
		"	return m.oddFrom(c, part{unit: t})\n", "	if c.Units[t].thread() {\n		return nil\n	}\n	return m.oddFrom(c, part{unit: t})\n", "beside"},
	{"and what the one does later that has enqueued the kernel", "state/concurrent.go",
		"		if from := m.enqueuedAt(c, t, u); from >= 0 {\n", "		if from := m.enqueuedAt(c, t, u); from >= 0 {\n			return nil\n", "beside"},
	{"an access as usual may race with what is to come", "memmodel/records.go",
		"	case !hasBit(c.Units[u].Odd, x) && !m.odd(r):\n", "	case !m.odd(r):\n", "beside"},
	{"one of a narrow scope races with those as usual", "memmodel/records.go",
		"{ return m.L.Odd(Unit(r.unit), r.loc, r.na, r.scope) }", "{ return r.na }", "mix,kinds"},
	{"what is odd in scope may race", "memmodel/layout.go",
		"	return na || s <= ScopeSubGroup || s != loc.Usual.Scope || !l.inclusive(loc.Usual.Unit, s, u, s, x)\n", "	return na || loc.Region == Image\n", "mix,kinds"},
	{"a round that is not performed races with what has been done", "por/spin.go",
		" || !m.Calm().SoFar(s, u, in, x) {", " {", "beside"},
})
