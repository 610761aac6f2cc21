// Command lb_failure_order is load buffering in which one work-item reads by a
// compare-exchange that fails, and acquires only if it succeeds.
//
// Shape: load buffering (LB). Source: OpenCL 3.3.7.3, OpenCL C 6.15.12.7.4 (failure order).
//
// Derivation: nobody writes 5 to x, so that the compare-exchange fails and is a relaxed load
// (rule 10.2). Nothing orders it and the store of y, which may come first. So all four
// outcomes are possible, r0=1 with r1=1 if it does.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		var e int32 = 5
		cl.AtomicCompareExchangeStrongExplicit(&x, &e, 6, cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
		cl.Observe("r0", e)
	case 1:
		r := cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelease)
		cl.Observe("r1", r)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
