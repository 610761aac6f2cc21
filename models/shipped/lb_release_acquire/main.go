// Command lb_release_acquire is load buffering by acquire loads and release stores of
// one region.
//
// Shape: LB, release and acquire. Source: OpenCL 3.3.7.1.
//
// Derivation: if work-item 0 reads 1 from x, the store to x synchronises with the load
// (rule 6.1); then the load of y, before the store to x, happens before the store to y and
// cannot read it (rule 7.2).
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire)
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelease)
		cl.Observe("r0", r)
	case 1:
		r := cl.AtomicLoadExplicit(&y, cl.MemoryOrderAcquire)
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelease)
		cl.Observe("r1", r)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
