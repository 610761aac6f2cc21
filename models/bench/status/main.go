// Command status has n work-groups write k words each into cells at which nobody looks, as kernels do that say how far they have come.
//
// Derivation: nobody reads a cell, so nothing can go wrong, and there is one outcome.
//
// So wherever in modification order a store goes, the state is the same: one place is enough (docs/exploration/canonical-form.md, "Stores whose
// place nobody can see").
//
//clmc:expect verified
//clmc:expect -D n=8 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n = 4
	k = 4
)

var step [k]cl.AtomicInt

func work() {
	for i := range k {
		cl.AtomicStoreExplicit(&step[i], int32(cl.GetGroupID(0)), cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(work, cl.NDRange1D(n, 1))
	cl.Finish()
}
