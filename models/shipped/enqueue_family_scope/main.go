// Command enqueue_family_scope counts in a cl_mem buffer, in a parent and its
// children, and in a kernel of the host beside them.
//
// Idiom: atomics of device scope on a buffer. Source: OpenCL 3.3.5, 3.3.6, 3.4.3.
//
// Derivation: on a cl_mem buffer, device scope covers one kernel-instance and its
// children (rule 3.5), whose atomics are guaranteed to work together (2.9): no
// race, and the parent's and the children's additions make 3. A second kernel
// that the host enqueues follows the first (12.5).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

//cl:memory buffer
var count cl.AtomicInt

func add() {
	cl.AtomicFetchAddExplicit(&count, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func parent() {
	for range 2 {
		cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), add)
	}
	add()
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	cl.EnqueueNDRangeKernel(func() {
		n := cl.AtomicLoadExplicit(&count, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.Assert(n == 3, "all have been counted")
	}, cl.NDRange1D(1, 1))
	cl.Finish()
}
