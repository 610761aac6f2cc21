// Command divergence_waiting has the work-items of a group wait, each for itself,
// in the loop around the barrier that they meet at when the wait is over.
//
// Idiom: polling a flag of the host with the barrier behind the poll, and a break
// behind the barrier. Source: OpenCL C 6.15.8.
//
// Derivation: the barrier is in the loop, though nobody goes on in it, and all
// work-items must reach it in the same iteration (rule 11.1). Nothing says in which
// one a work-item finds the flag set: one may in iteration 0, while another has found
// it clear once. With the barrier behind the loop all would be well. That the loop
// has no bound does not make the states many: a work-item that has gone round more
// than once could as well have done so once.
//
//clmc:expect violated CL1003
package main

import "github.com/clmc/clmc/models/cl"

//cl:memory svm_fine_atomics
var start cl.AtomicInt

func kernel() {
	for {
		if cl.AtomicLoadExplicit(&start, cl.MemoryOrderAcquire, cl.MemoryScopeAllSVMDevices) != 0 {
			cl.WorkGroupBarrier(cl.CLKLocalMemFence)
			break
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 2))
	cl.AtomicStoreExplicit(&start, 1, cl.MemoryOrderRelease)
	cl.Finish()
}
