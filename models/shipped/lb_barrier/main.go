// Command lb_barrier is load buffering with a barrier between each load and the
// store after it.
//
// Shape: load buffering (LB). Source: OpenCL 3.2.2.1, 3.3.7.3.
//
// Derivation: a barrier without flags orders no memory, but no work-item passes
// it before all have reached it, and what comes after is not read before it (rule
// 11.4): both loads read 0.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	id := cl.GetLocalID(0)
	if id == 0 {
		cl.Observe("r0", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
	} else {
		cl.Observe("r1", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed))
	}
	cl.WorkGroupBarrier(0)
	if id == 0 {
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
	} else {
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 2))
	cl.Finish()
}
