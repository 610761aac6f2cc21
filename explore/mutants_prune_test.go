package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutantsOfPruning breaks the search for shorter schedules in one way after the other.
func TestMutantsOfPruning(t *testing.T) {
	mutant.Try(t, pruneMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^(TestSchedulesArePruned|TestShortestSchedule)$", "-seeds", "30", ".")
	})
}

var pruneMutants = mutant.List([][5]string{
	{"what is left shows the same violation", "explore/prune.go",
		"		return p.s.like(&end, p.v)\n", "		return true\n"},
	{"what is left out of one unit lets another end earlier", "explore/prune.go",
		"for was := 0; was != len(p.told); {", "for was := 0; was == 0; {"},
	{"work-groups that are not needed are left out", "explore/prune.go",
		"	p.without(groups)\n	p.without(units)\n", ""},
	{"messages keep the numbers that they had", "explore/concretise.go",
		"	s.Mem.Call(f.told[at].number)\n", "	s.Mem.Call(at + 1)\n"},
	{"the shortest is found first", "explore/shorten.go",
		"	b.nodes = append(b.nodes, node{from, len(b.buf), parent, depth, mv})\n",
		"	b.nodes = append(b.nodes, node{from, len(b.buf), parent, depth + 1, mv})\n"},
})

// TestMutantsOfTelling breaks how a search gives up to tell a path when it is told to end.
func TestMutantsOfTelling(t *testing.T) {
	mutant.Try(t, tellMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestUntold$", ".")
	})
}

var tellMutants = mutant.List([][5]string{
	{"a long path is not told by a machine that is halted", "explore/concretise.go",
		"if t.lost = t.lost || halted(t.m, len(t.told)); t.lost {", "if t.lost {"},
	{"a long path is not performed on a machine that is halted", "explore/concretise.go",
		"	if halted(f.m, at) {\n		return false\n	}\n", ""},
})
