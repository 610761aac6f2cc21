// Command isa2_release_acquire hands plain data on through a chain of two flags.
//
// Shape: ISA2. Source: OpenCL 3.3.7, transitivity of happens-before.
//
// Derivation: both flags are global and synchronise (rule 6.1), and
// global-happens-before is transitive through the second work-item's global
// actions (rule 5.5).
//
//clmc:expect verified
//clmc:expect spec=popl16 verified
package main

import "github.com/clmc/clmc/models/cl"

var (
	data int32
	x, y cl.AtomicInt
)

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		data = 42
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelease)
	case 1:
		if cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire) == 1 {
			cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelease)
		}
	case 2:
		if cl.AtomicLoadExplicit(&y, cl.MemoryOrderAcquire) == 1 {
			cl.Reachable("the chain is complete")
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(3, 1))
	cl.Finish()
}
