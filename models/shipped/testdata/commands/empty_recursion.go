// Command empty_recursion has a kernel that enqueues itself with half the work-items, down to none.
//
// Derivation: a child with WAIT_KERNEL follows its parent (rule 12.12), so that
// nothing races; the last child is empty (12.22) and ends the recursion. The sum is 4
// + 2 + 1.
//
//clmc:expect verified
//clmc:expect spec=2.0 violated CL1008
package main

import "github.com/clmc/clmc/models/cl"

var sum cl.AtomicInt

func halve(n int) {
	cl.AtomicFetchAddExplicit(&sum, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	if cl.GetGlobalID(0) == 0 {
		cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsWaitKernel, cl.NDRange1D(n/2, 1), func() { halve(n / 2) })
	}
}

func main() {
	n := 4
	cl.EnqueueNDRangeKernel(func() { halve(n) }, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(cl.AtomicLoad(&sum) == 7, "each has added one")
}
