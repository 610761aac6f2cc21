package facts_test

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks what makes a round of several reads in one way after the other, and sees the table of
// such rounds fail.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^Test(Returns|Unless)$", ".")
	})
}

// Each mutant breaks something that is there.
func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"a round has not begun where one can come by without", "state/facts/returns.go",
		" || !doms.Dominates(h, e) || ", " || ", ""},
	{"whoever stores in a round is noticed", "state/facts/returns.go",
		"		case !private(&f.Code[i]):\n			return nil, false\n", "		case !private(&f.Code[i]):\n", ""},
	{"facts that were given up are none", "state/facts/facts.go",
		"	if facts.spent = nil; spent() {\n", "	if facts.spent = nil; false {\n", ""},
})
