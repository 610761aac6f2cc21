package main

import "github.com/clmc/clmc/models/cl"

const local = true

var x, y cl.AtomicInt
var r [2]int32

func fence() {
	if local {
		cl.AtomicWorkItemFence(cl.CLKLocalMemFence, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice)
	} else {
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice)
	}
}

func k() {
	if cl.GetGroupID(0) == 0 {
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) //clmc:free order
		fence()
		r[0] = cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) //clmc:free order
	} else {
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) //clmc:free order
		fence()
		r[1] = cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) //clmc:free order
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
	cl.Assert(r[0] == 1 || r[1] == 1, "not both 0")
}
