// Command lb_enqueue is load buffering in which one work-item reads and a kernel that it
// enqueues afterwards writes.
//
// Shape: load buffering (LB). Source: OpenCL 3.3.7.3, OpenCL C 6.15.15 (device-side enqueue).
//
// Derivation: nothing orders the load of x and the store of y in work-item 0, so that the
// store may come first. The store of x comes after the load of y, as the kernel is
// enqueued after it (rule 12.9). So all four outcomes are possible, r0=1 with r1=1 if the
// store of y comes before the load of x.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	if cl.GetGlobalID(0) == 0 {
		cl.Observe("r0", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
		return
	}
	cl.Observe("r1", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed))
	cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), func() {
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
	})
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
