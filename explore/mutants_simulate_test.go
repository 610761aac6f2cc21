package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutantsOfSimulation breaks what keeps a simulation to executions of the program, and
// sees the comparison with all of them fail.
func TestMutantsOfSimulation(t *testing.T) {
	mutant.Try(t, simulateMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestSimulation", "-seeds", "400", "-styles", "ended,gaps,sc,cas,cycles,waits,lb", ".")
	})
}

var simulateMutants = mutant.List([][5]string{
	{"8.3 is asked of what goes wrong in a simulation", "explore/simulate.go",
		"n.Violation.Kind != state.NoViolation && !n.Open():", "n.Violation.Kind != state.NoViolation:", ""},
	{"8.3 is asked of an execution that ends", "explore/simulate.go",
		"	case n.Open():\n		w.stats.Blocked++\n", "	case false:\n", ""},
	{"a move that the memory model forbids is none", "explore/simulate.go",
		"		if w.tried.Abandoned {\n", "		if w.tried.Abandoned && w.tried.AssumptionFailed {\n", ""},
	{"who stores round after round does not wait", "explore/simulate.go",
		"	case w.anyBusy(n):\n", "	case false:\n", ""},
	{"who comes only to what is abandoned does not wait in a simulation", "explore/simulate.go",
		"	case w.anyAbandoned(n):\n", "	case false:\n", ""},
	{"a round of waiting need not be made", "explore/simulate.go",
		"bytes.Equal(w.was, w.is) {", "bytes.Equal(w.was, nil) {", ""},
	{"a failure may be the consequence of a race", "explore/simulate.go",
		"	if race := w.raceBehind(&v, t); race != nil {\n", "	if race := (*Violation)(nil); race != nil {\n", ""},
})
