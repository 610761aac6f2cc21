package flow_test

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks the algorithms and sees what they say differ from the definitions.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^Test(Definitions|Order)$", ".")
	})
}

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"what dominates is on every path", "state/ir/flow/dominators.go",
		"			above = d.meet(above, q)\n", "			above = min(above, q)\n"},
	{"until nothing changes", "state/ir/flow/dominators.go",
		"				d.above[at], changed = above, true\n", "				d.above[at] = above\n"},
	{"a component has all that lead to each other", "state/ir/flow/flow.go",
		"				low[i] = min(low[i], low[to])\n", ""},
	{"and nothing that has been left", "state/ir/flow/flow.go",
		"			if comp[to] < 0 {\n", "			if true {\n"},
	{"a node that leads to itself comes back", "state/ir/flow/flow.go",
		"back[i] || comp[to] == comp[i] })", "back[i] || comp[to] == comp[i] && to != i })"},
	{"paths end where they are told to", "state/ir/flow/flow.go",
		"stop == nil || !stop(to)", "true"},
	{"a node need not lead to itself", "state/ir/flow/flow.go",
		"	g(from, visit)\n", "	reached[from] = true\n	g(from, visit)\n"},
})
