package state_test

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks, in one way after the other, what ends private computation.
func TestMutants(t *testing.T) { mutant.TryTests(t, mutants) }

// Each mutant breaks something that is there.
func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"private computation goes on when the machine is halted", "state/run.go",
		"s.abortable && m.Halted():", "false:", "^TestHaltInPrivate$"},
	{"what is told is given up, too", "state/run.go",
		"s.abortable && m.Halted():", "m.Halted():", "^TestHaltInPrivate$"},
	{"the host's first computation goes on", "state/run.go",
		"	s := m.initial(watcher, true)\n", "	s := m.initial(watcher, false)\n", "^TestHaltInPrivate$"},
	{"what follows a step goes on", "state/step.go",
		"\ts.abortable = true\n", "", "^TestHaltInPrivate$"},
	{"what is launched goes on", "state/command.go",
		"\ts.abortable = was.abortable\n", "", "^TestHaltInPrivate$"},
})
