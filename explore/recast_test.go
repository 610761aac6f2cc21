package explore

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
)

// Of what a step finds nothing is forgotten when, in the same step, units come or go.
func TestRecastForgetsNothing(t *testing.T) {
	for _, c := range []struct {
		what, source string
		verdict      Verdict
		incomplete   string // part of why
	}{
		// The item that fails its assumption is one of two that start at a time: no
		// execution goes on, so that nothing can be wrong in any.
		{"an assumption that has failed", `
func first() { cl.AtomicFetchAdd(&x, 1) }
func never() {
	cl.Assume(cl.GetGlobalID(0) != 0)
	cl.Assert(false, "nobody comes here")
}
func other() {}

func main() {
	queue := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	one := cl.NDRange1D(1, 1)
	done := cl.EnqueueNDRangeKernel(first, one, cl.OnQueue(queue))
	cl.EnqueueNDRangeKernel(never, one, cl.OnQueue(queue), cl.EventWaitList(done))
	cl.EnqueueNDRangeKernel(other, one, cl.OnQueue(queue), cl.EventWaitList(done))
	cl.Finish(queue)
}
`, Inconclusive, "fails an assumption"},
		// The item observes more often than is kept, and ends in the same step.
		{"an observation that there is no room for", `
func k() {
	cl.AtomicFetchAdd(&x, 1)
	for i := range 300 {
		cl.Observe("i", int32(i))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1))
	cl.Finish()
}
`, Inconclusive, "can observe more than"},
	} {
		p := must(load.Source("recast.go", []byte("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nvar x cl.AtomicInt\n"+c.source), load.Options{}))
		for _, mode := range por.Modes() {
			r := Run(context.Background(), p, Options{POR: mode})
			if r.Verdict != c.verdict || !slices.ContainsFunc(r.Incomplete, func(why string) bool { return strings.Contains(why, c.incomplete) }) {
				t.Errorf("%s, reduction %s: %v, %v", c.what, mode, r.Verdict, r.Incomplete)
			}
		}
	}
}

// TestMutantsOfRecasts forgets something, and sees that fail.
func TestMutantsOfRecasts(t *testing.T) {
	mutant.Try(t, recastMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestRecastForgetsNothing$", ".")
	})
}

var recastMutants = mutant.List([][5]string{
	{"an assumption that has failed is not forgotten when units come or go", "state/command.go",
		"\ts.Abandoned, s.AssumptionFailed, s.Uncertified, s.CertificationFailed, s.MessageBoundHit, s.solo = was.Abandoned, ", "\ts.Abandoned, s.AssumptionFailed, s.Uncertified, s.CertificationFailed, s.MessageBoundHit, s.solo = false, "},
	{"nor is it that there was no room for an observation", "state/command.go",
		"was.CertificationFailed, was.MessageBoundHit, was.solo\n", "was.CertificationFailed, NoLimit, was.solo\n"},
})
