// Command lb_two_regions is load buffering by acquire loads and release stores, one
// location in global memory and one in local memory.
//
// Shape: LB over two regions, the specification's own example on out-of-thin-air values,
// but storing a constant. Source: OpenCL 3.3.7.1 (the model thin_air has the text's).
//
// Derivation: through x the work-items synchronise in global memory, through y in local
// memory, and these are two relations (rules 5.5, 6.1). Neither has a cycle if both loads read
// 1, which is all that is asked (rule 5.6). Each store is made whatever the load before
// it reads, so each can be promised: all four outcomes.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
//clmc:expect promises=0 verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0
package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func kernel() {
	y := cl.Local[cl.AtomicInt]()
	id := cl.GetLocalID(0)
	if id == 0 {
		cl.AtomicInit(y, 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	if id == 0 {
		cl.Observe("r0", cl.AtomicLoadExplicit(y, cl.MemoryOrderAcquire))
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelease)
	} else {
		cl.Observe("r1", cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire))
		cl.AtomicStoreExplicit(y, 1, cl.MemoryOrderRelease)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 2))
	cl.Finish()
}
