// Command lb_update_chain is load buffering by way of an addition: what one work-item
// stores another one adds to, before a third finds what it waits for.
//
// Shape: load buffering (LB). Source: OpenCL 3.3.7.3.
//
// Derivation: x becomes 2 only if 1 is added to the 1 that work-item 0 stores, and only then
// is y stored. Nothing orders the load of y and the store of x in work-item 0 (rule 7.8), so that the store
// may come first, and r0 may be 1. If 1 is added before that store, or to it never, work-item 2
// waits for ever.
//
//clmc:expect violated CL1011
//clmc:outcomes 0:r0=0 | 0:r0=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		r := cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
		cl.Observe("r0", r)
	case 1:
		cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed)
	case 2:
		for {
			var e int32 = 2
			if cl.AtomicCompareExchangeStrongExplicit(&x, &e, 3, cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed) {
				break
			}
		}
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(3, 1))
	cl.Finish()
}
