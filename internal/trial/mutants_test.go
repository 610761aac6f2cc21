package trial

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks what is said of repairs.
func TestMutants(t *testing.T) { mutant.TryTests(t, mutants) }

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"a repair that leaves what it is for is not printed", "internal/trial/trial.go",
		"	case same(t, mended.Program, r):\n", "	case false && same(t, mended.Program, r):\n", "TestRepairs"},
	{"what is not searched to the end is not verified", "internal/trial/trial.go",
		"	case r.Verdict != explore.Violated:\n		say(t, NotToEnd)\n", "	case r.Verdict != explore.Violated:\n		say(t, Verified)\n", "TestRepairs"},
	{"what cannot be made is an idea", "internal/trial/trial.go",
		"			t.Why[i].Changes = nil\n		}\n		return\n", "			_ = i\n		}\n		return\n", "TestRepairs"},
})
