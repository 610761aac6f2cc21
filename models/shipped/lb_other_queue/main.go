// Command lb_other_queue is load buffering between a kernel and the host, which has
// waited for another queue than the kernel's.
//
// Shape: load buffering (LB). Source: OpenCL 3.2.1, 3.3.7.3.
//
// Derivation: clFinish waits for its queue's commands (rule 12.8), so the kernel may still be
// running. Nothing orders its load of y and its store of x, so that the store may come
// first. So all four outcomes are possible, r0=1 with r1=1 if it does.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 r1=0 | 0:r0=0 r1=1 | 0:r0=1 r1=0 | 0:r0=1 r1=1
package main

import "github.com/clmc/clmc/models/cl"

//cl:memory svm_fine_atomics
var x, y cl.AtomicInt

func kernel() {
	cl.Observe("r0", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeAllSVMDevices))
	cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeAllSVMDevices)
}

func main() {
	other := cl.CreateCommandQueue(0, 0)
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1), cl.OnQueue(other))
	cl.Finish()
	cl.Observe("r1", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
	cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
	cl.Finish(other)
}
