package explore

import (
	"context"
	"fmt"
	"testing"

	"github.com/clmc/clmc/models/load"
)

// Host threads and kernels that have no registers, as nobody looks at what they read: searched with promises and without, with
// reductions and without, the program is verified. Nothing in it races, as the host is done before its kernels begin (rule 12.9),
// and the kernels access atomics only, by device scope; it has nothing to assert.
func TestNoRegisters(t *testing.T) {
	const program = `package main

import "github.com/clmc/clmc/models/cl"

var d [4]int32
var x, y cl.AtomicInt

func adds() {
	if cl.GetGlobalID(0) == 0 {
		cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
	cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	if cl.GetGlobalID(0) == 2 {
		cl.Observe("v", cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
	}
}

func looks() {
	cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
	cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func main() {
	%s
	cl.EnqueueNDRangeKernel(adds, cl.NDRange1D(4, 3))
	cl.EnqueueNDRangeKernel(looks, cl.NDRange1D(2, 1))
}
`
	for _, first := range []string{
		"_ = d[2]", "cl.AtomicLoad(&x)", "_ = d[1]\n\tcl.AtomicLoad(&y)\n\t_ = d[1]", "d[0] = 1\n\t_ = d[0]", "cl.AtomicFetchAdd(&x, 1)", "cl.AtomicStore(&x, 1)",
	} {
		p, err := load.Source("noregisters.go", fmt.Appendf(nil, program, first), load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, opt := range []Options{{}, {All: true, needless: true}, {All: true, everywhere: true}, {Promises: NoPromises}, {NoSymmetry: true}} {
			if r := Run(context.Background(), p, opt); r.Verdict != Verified {
				t.Errorf("%s, with %+v: %v %v", first, opt, r.Verdict, r.Incomplete)
			}
		}
	}
}
