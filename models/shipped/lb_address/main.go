// Command lb_address is load buffering in which the address of each store depends on
// the load before it.
//
// Shape: LB with address dependencies on both sides. Source: OpenCL 3.3.7.1, rule 7.8.
//
// Derivation: alone, each work-item loads 0 and stores to element 0, which nobody
// loads. Neither can certify a store to element 1, and both read 0.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0
package main

import "github.com/clmc/clmc/models/cl"

var x, y [2]cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		r := cl.AtomicLoadExplicit(&x[1], cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&y[r], 1, cl.MemoryOrderRelaxed)
		cl.Observe("r0", r)
	case 1:
		r := cl.AtomicLoadExplicit(&y[1], cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&x[r], 1, cl.MemoryOrderRelaxed)
		cl.Observe("r1", r)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
