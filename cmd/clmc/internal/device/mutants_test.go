package device

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks, one after the other, how devices are run and what is said of them, and sees tests fail.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^Test(RightDevice|SequentialDevice|WrongDevice|Promises|CompilerFails|DeviceLost|Idle|Frequency)$", ".")
	})
}

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"a run without store buffering is blind", "cmd/clmc/internal/device/suite.go",
		"return s.Weak == 0 }", "return s.Instances == 0 }"},
	{"what is not promised is not run", "cmd/clmc/internal/device/suite.go",
		"	if spare != nil && s.Unpromised {\n", "	if spare != nil {\n"},
	{"an outcome that nobody wants is forbidden", "cmd/clmc/internal/device/session.go",
		"Other{w, r.counts[n+i]})", "Other{w[:0], r.counts[n+i]})"},
	{"memory that nobody has written is no outcome", "cmd/clmc/internal/device/session.go",
		"			if o[v] == opencl.Unplayed &&", "			if false &&"},
	{"a device that fails is begun anew", "cmd/clmc/internal/device/client.go",
		"			if r.Failure.Kind == DeviceFault {", "			if false {"},
	{"one test that is not compiled does not fail the others", "cmd/clmc/internal/device/suite.go",
		"&& len(pending) > 1 &&", "&& len(pending) > 99 &&"},
	{"an outcome that is learnt is counted", "cmd/clmc/internal/device/session.go",
		"			if news && len(", "			if news && false && len("},
})
