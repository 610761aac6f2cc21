package explore

import (
	"context"
	"slices"
	"testing"

	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// Where a write becomes visible before a read that it does not depend on, what stands between or
// behind changes nothing about that: an assertion is no action of the memory model, so who
// has failed one goes on to the write; and an assumption says which executions are looked at, not
// which are there to answer. In each program one work-item loads x and then stores 1 to y (all
// relaxed), and the other one answers with x = 1 if it has read y == 1, unless it says otherwise.
// So r == 1 occurs (rules 7.2, 7.8), and what is asserted of it fails.
func TestChecksBesideEarlyWrites(t *testing.T) {
	const answer = "if cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed) == 1 { cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed) }"
	const store = "cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)\n"
	for _, c := range []struct{ what, first, second string }{
		{"an assertion before the write", "cl.Assert(r == 0, \"early\")\n" + store, answer},
		{"an assertion behind it", store + "cl.Assert(r == 0, \"early\")\n", answer},
		{"an assertion of something else before it", "cl.Assert(r != 1 || cl.GetGlobalID(0) == 7, \"early\")\n" + store, answer},
		{"two of them", "cl.Assert(r < 2, \"early\")\ncl.Assert(r == 0, \"early\")\n" + store, answer},
		{"an assumption behind the write, and an assertion", store + "cl.Assume(r == 1)\ncl.Assert(r == 0, \"early\")\n", answer},
		{"an assumption that another value fulfils as well", store + "cl.Assume(r != 0)\ncl.Assert(r != 1, \"early\")\n",
			"if cl.Choose(2) == 0 { cl.AtomicStoreExplicit(&x, 2, cl.MemoryOrderRelaxed) } else " + answer},
		{"an assumption behind an exchange", "cl.AtomicExchangeExplicit(&y, 1, cl.MemoryOrderRelaxed)\ncl.Assume(r == 1)\ncl.Assert(r == 0, \"early\")\n", answer},
	} {
		p := must(load.Source("early.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func k() {
	if cl.GetGlobalID(0) == 0 {
		r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed)
		`+c.first+`
	} else {
		`+c.second+`
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`), load.Options{}))
		for _, mode := range por.Modes() {
			if r := Run(context.Background(), p, Options{POR: mode}); !slices.Equal(kinds(r), []state.Kind{state.AssertionFailed}) {
				t.Errorf("%s, reduction %s: %v, %v, want a failed assertion", c.what, mode, r.Verdict, kinds(r))
			}
			if r := Run(context.Background(), p, Options{POR: mode, Promises: NoPromises}); r.Has(state.AssertionFailed) {
				t.Errorf("%s, reduction %s: it fails without load buffering", c.what, mode)
			}
		}
	}
}
