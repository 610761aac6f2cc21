package report

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks, in one way after the other, how a violation is told that was
// found where messages had been merged and units renamed.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^(TestEveryViolationIsTold|TestRaceAfterRaceIsTold|TestWaitAfterRaceIsTold)$", "-seeds", "40", "-styles", m.Tell, ".")
	})
}

// Each mutant breaks something that is there.
func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"messages are told by their names", "explore/meaning.go",
		"	w.choice.Back, w.choice.Broken = 0, 0\n", "	w.message, w.choice.Broken = memmodel.Nothing, 0\n", "resets"},
	{"a path is repeated form by form", "explore/concretise.go",
		"			if s.form(t.s) {", "			if false {", "resets"},
	{"a path that goes on after a race has done so where a state gets its form", "explore/concretise.go",
		"			t.pass() // as the search", "			// as the search", "careless"},
	{"the first names are composed of all renamings", "explore/concretise.go",
		"		names[u] = t.names[was]\n", "		names[u] = t.names[u] + 0*uint64(was)\n", "alike,spins"},
	{"names are carried on when units come and go", "explore/concretise.go",
		"			t.names = cast.Carry(t.s.Cast, t.names)\n", "", "enq,commands"},
	{"a guess that does not lead on is taken back", "explore/concretise.go",
		"range choices[:last] {", "range choices[:0] {", "rs,locks,resets"},
	{"violations that are told apart keep schedules of their own", "explore/shorten.go",
		" && !s.opt.All", "", "resets,plain"},
	{"who waits beyond a race races again", "explore/trace/onward.go",
		"m.Do(next, u, c); o.forgiving {", "m.Do(next, u, c); false {", "careless"},
})
