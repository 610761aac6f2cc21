// Command lb_fence is load buffering with a fence between load and store on one side.
//
// Shape: LB with one fence. Source: OpenCL 3.3.7.2.
//
// Derivation: a fence synchronises with another fence or with an acquire or release
// operation only (rules 6.3 to 6.5), and there is none. So nothing happens before
// anything in another work-item, and work-item 1 can promise its store: all four outcomes.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
//clmc:expect promises=0 verified
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
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
		cl.Observe("r1", r)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
