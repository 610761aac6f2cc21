// Command lb_additions is load buffering past an addition to a counter that nobody looks
// at, but by which two work-items synchronise, or do not.
//
// Shape: load buffering (LB). Source: OpenCL 3.3.7.3, 3.3.6.4 (fences).
//
// Derivation: if the addition of work-item 1 comes before that of work-item 0 in the order of
// c, its fence acquires nothing (rule 6.5), and the load of x may return 0. That it comes before
// though z has been read as 1, which was stored after the other addition, takes that it becomes visible
// before the load of z: nothing orders the two. So all four outcomes are possible.
//
//clmc:expect verified
//clmc:outcomes 1:x=0 1:z=0 | 1:x=0 1:z=1 | 1:x=1 1:z=0 | 1:x=1 1:z=1
package main

import "github.com/clmc/clmc/models/cl"

var x, z, c cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
		cl.AtomicFetchAddExplicit(&c, 1, cl.MemoryOrderRelease)
		cl.AtomicStoreExplicit(&z, 1, cl.MemoryOrderRelaxed)
	case 1:
		r := cl.AtomicLoadExplicit(&z, cl.MemoryOrderRelaxed)
		cl.AtomicFetchAddExplicit(&c, 1, cl.MemoryOrderRelaxed)
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
		s := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed)
		cl.Observe("z", r)
		cl.Observe("x", s)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
