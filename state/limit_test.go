package state

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
)

// What goes beyond a bound of the machine's own is not wrong, and what OpenCL does not allow is, however large.
func TestLimits(t *testing.T) {
	for name, c := range map[string]struct {
		does  string
		wrong Kind
		limit Limit
	}{
		"work-items":           {"cl.EnqueueNDRangeKernel(nothing, cl.NDRange1D(int(big), 64))", NoViolation, TooManyItems},
		"of three dimensions":  {"cl.EnqueueNDRangeKernel(nothing, cl.NDRange3D([3]int{int(big)/512, 64, 64}, [3]int{1, 1, 1}))", NoViolation, TooManyItems},
		"more than numbers":    {"cl.EnqueueNDRangeKernel(nothing, cl.NDRange3D([3]int{int(big)<<40, int(big)<<40, 1<<40}, [3]int{1, 1, 1}))", NoViolation, TooManyItems},
		"and an empty one":     {"cl.EnqueueNDRangeKernel(nothing, cl.NDRange3D([3]int{int(big)<<40, zero, int(big)<<40}, [3]int{1, 1, 1}))", NoViolation, TooManyItems},
		"a work-group":         {"cl.EnqueueNDRangeKernel(nothing, cl.NDRange1D(4, int(big)))", InvalidArgument, NoLimit}, // as docs/semantics.md says of clmc
		"a negative one":       {"cl.EnqueueNDRangeKernel(nothing, cl.NDRange3D([3]int{int(big)<<40, zero-1, 1}, [3]int{1, 1, 1}))", InvalidArgument, NoLimit},
		"commands":             {"cl.EnqueueNDRangeKernel(nothing, cl.NDRange1D(1, 1))", NoViolation, TooManyCommands},
		"values to choose":     {"cl.Choose(2*int(big) + 1)", NoViolation, TooManyChoices},
		"as many":              {"cl.Choose(2 * int(big))", NoViolation, NoLimit},
		"none to choose":       {"cl.Choose(zero)", InvalidArgument, NoLimit},
		"private instructions": {"n := 0\nfor i := 0; i < 1<<31; i++ {\nn += i\n}\nx = int32(n)", NoViolation, TooLong},
		"without an end":       {"n := 1\nfor n != 0 {\nn = 3 - n\n}\nx = int32(n)", NonTermination, NoLimit},
	} {
		p, err := load.Source("limits.go", []byte("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nvar x, big int32 = 0, 32768\n\nfunc nothing() {}\n\nfunc main() {\nzero := int(big) - 32768\n_ = zero\n"+c.does+"\ncl.Finish()\n}\n"), load.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m := NewMachine(p, memmodel.Specs[0])
		s := m.Initial()
		if c.limit == TooManyCommands {
			s.made[0] = maxCommands
		}
		for steps := 0; steps < 20000 && s.Violation.Kind == NoViolation && s.MessageBoundHit == NoLimit && !s.Done(); steps++ {
			for u := range s.Cast.Count() {
				if choices := m.Choices(s, u, nil); len(choices) > 0 {
					m.Do(s, u, choices[0])
					break
				}
			}
		}
		if s.Violation.Kind != c.wrong || s.MessageBoundHit != c.limit || c.limit != NoLimit && !strings.Contains(c.limit.String(), "more than") {
			t.Errorf("%s: %q, %v; want %q, %v", name, s.Violation.Kind, s.MessageBoundHit, c.wrong, c.limit)
		}
	}
}
