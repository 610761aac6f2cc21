package capture

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks how launches are made smaller.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestScale$", ".")
	})
}

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"two work-groups are left", "cmd/clmc/internal/capture/scale.go",
		"max(groups/by, min(fewGroups, groups))", "max(groups/by, 1)"},
	{"a local size stays", "cmd/clmc/internal/capture/scale.go",
		"left*local+n%local", "max(n/by, 1)"},
	{"a bound that is a little less becomes less", "cmd/clmc/internal/capture/scale.go",
		"	if m := s.almost(what, n); m != n {\n		return m\n	}\n	return s.multiple(what, n)\n", "	return s.multiple(what, n)\n"},
	{"a buffer of a bound becomes shorter", "cmd/clmc/internal/capture/scale.go",
		"	return s.almost(what, n)\n", "	return n\n"},
	{"what was changed is said", "cmd/clmc/internal/capture/scale.go",
		"		s.said = append(s.said, fmt.Sprintf(\"%s %d is %d\", what, from, to))\n", ""},
})
