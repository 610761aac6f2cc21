// Command reorder has n work-groups write two variables, and one read them in the other
// order.
//
// Derivation: who reads what a writer released in b sees what that one wrote to a
// before (rules 6.1, 7.2), or a later write, all of which are of 1.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 2

var a, b cl.AtomicInt

func reorder() {
	if cl.GetGlobalID(0) < n {
		cl.AtomicStoreExplicit(&a, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.AtomicStoreExplicit(&b, -1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		return
	}
	y := cl.AtomicLoadExplicit(&b, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
	x := cl.AtomicLoadExplicit(&a, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	cl.Assert(y == 0 || x == 1, "the writes are seen in order")
}

func main() {
	cl.EnqueueNDRangeKernel(reorder, cl.NDRange1D(n+1, 1))
	cl.Finish()
}
