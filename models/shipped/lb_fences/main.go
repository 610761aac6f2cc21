// Command lb_fences is load buffering with a fence between load and store on both sides.
//
// Shape: LB with two fences. Source: OpenCL 3.3.7.2.
//
// Derivation: if work-item 0 reads 1 from x, the fence of work-item 1, before the store to
// x, synchronises with its fence, after the load (rule 6.3). Then the load of y happens
// before the store to y and cannot read it (rule 7.2): not both loads read 1.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed)
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice)
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
		cl.Observe("r0", r)
	case 1:
		r := cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed)
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice)
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
		cl.Observe("r1", r)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
