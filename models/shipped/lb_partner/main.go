// Command lb_partner is load buffering in which one work-item reads and its
// partner, behind a barrier of their work-group, writes.
//
// Shape: load buffering (LB). Source: OpenCL 3.2.2.1, 3.3.7.3.
//
// Derivation: nothing orders the load of x and the store of y in group 0, so that the
// store may come first. In group 1 the store of x comes after the load of y (rule 11.4),
// in another work-item. So all four outcomes are possible, r0=1 with r1=1 if the store
// of y comes before the load of x.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 2:r1=0 | 0:r0=0 2:r1=1 | 0:r0=1 2:r1=0 | 0:r0=1 2:r1=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	group, id := cl.GetGroupID(0), cl.GetLocalID(0)
	if group == 0 && id == 0 {
		cl.Observe("r0", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
	}
	if group == 1 && id == 0 {
		cl.Observe("r1", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed))
	}
	cl.WorkGroupBarrier(0)
	if group == 1 && id == 1 {
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(4, 2))
	cl.Finish()
}
