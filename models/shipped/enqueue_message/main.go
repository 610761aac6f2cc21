// Command enqueue_message publishes coarse-grained data to a NO_WAIT child through
// a flag in fine-grained memory.
//
// Idiom: release and acquire between a parent and its child. Source: OpenCL
// 3.3.7.1, 3.3.7.5.
//
// Derivation: a release store synchronises with the child's acquire load, as
// between any two work-items (rule 6.1), and that orders all of global memory:
// the child may read data if it reads 1. With relaxed accesses it does see the
// flag, which is fine-grained, through the enqueue (12.1), but data is not
// ordered by that: a race (9.1).
//
//clmc:expect verified
//clmc:expect -D acquire=false violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const acquire = true

var data int32

//cl:memory svm_fine
var flag cl.AtomicInt

func parent() {
	data = 42
	if acquire {
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	} else {
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
	cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), child)
}

func child() {
	order := cl.AtomicLoadExplicit(&flag, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	cl.Assert(order == 1, "the enqueue shows the child the fine-grained flag")
	if acquire {
		order = cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
	}
	if order == 1 {
		cl.Assert(data == 42, "the value arrived")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	cl.Finish()
}
