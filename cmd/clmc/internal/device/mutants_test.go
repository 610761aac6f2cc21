package device

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks, one after the other, how devices are run and what is said of them, and sees tests fail.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^Test(RightDevice|SequentialDevice|WrongDevice|Promises|CompilerFails|ManyFail|RefusedScope|DeviceLost|Idle|Frequency|Processor.*|Beside.*)$", ".")
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
	{"one test that is not compiled does not fail the others", "cmd/clmc/internal/device/program.go",
		"&& len(list) > 1 &&", "&& len(list) > 99 &&"},
	{"what a run leaves is compared with what executions leave", "cmd/clmc/internal/device/beside.go",
		"if n.Forbidden = !is; is {", "if n.Forbidden = false; is {"},
	{"what work-items observe is compared", "cmd/clmc/internal/device/beside.go",
		"		observed = maps.Clone(o)\n", "		observed = map[string]int64{}\n"},
	{"no run is wrong where not all executions are known", "cmd/clmc/internal/device/beside.go",
		"	case len(k.Ends.Violations) > 0:\n", "	case false:\n"},
	{"no run is wrong where devices may round", "cmd/clmc/internal/device/beside.go",
		"	case h.Math:\n", "	case false:\n"},
	{"a device that takes small numbers for zero computes sums of its own", "cmd/clmc/internal/device/beside.go",
		"	case h.Sums && !d.SmallFloats:\n", "	case false:\n"},
	{"variables begin each run as they were", "cmd/clmc/internal/device/kernel.go",
		"		name := b.Reset\n", "		name := b.Fetch\n"},
	{"a work-group that is too large is not launched", "cmd/clmc/internal/device/kernel.go",
		"			if limit > 0 && items > limit {", "			if limit < 0 && items > limit {"},
	{"a program that fails is halved", "cmd/clmc/internal/device/program.go",
		"		half := len(list) / 2\n", "		half := 1\n"},
	{"a scope that is not taken is not built", "cmd/clmc/internal/device/suite.go",
		"		case !s.Info.takesScopes(k):\n", "		case false:\n"},
	{"an outcome that is learnt is counted", "cmd/clmc/internal/device/session.go",
		"			if news && len(", "			if news && false && len("},
	{"what does not run together runs by itself", "cmd/clmc/internal/device/program.go",
		"		if err == nil || ctx.Err() != nil {\n", "		if true {\n"},
	{"a kernel of many tests is told which to play", "cmd/clmc/internal/device/session.go",
		"scalarArgs(r.Args...)", "scalarArgs(make([]uint32, len(r.Args))...)"},
	{"results come in the order of the tests", "cmd/clmc/internal/device/program.go",
		"	p := s.running[0]\n	s.running = s.running[1:]\n", "	p := s.running[len(s.running)-1]\n	s.running = s.running[:len(s.running)-1]\n"},
	{"children play beside each other", "cmd/clmc/internal/device/program.go",
		"	if len(s.running) > len(s.others) {", "	if len(s.running) > 0 {"},
	{"memory of all instances that are played is cleared", "cmd/clmc/internal/device/session.go",
		"uint32(s.Starts()), uint32(s.Instances())}", "uint32(s.Starts()), uint32(s.Instances() / 2)}"},
})
