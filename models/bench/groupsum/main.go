// Command groupsum sums in a work-group of n: each work-item adds to a cell of local memory, and one adds what has come together to global memory.
//
// Derivation: the cell is initialised before a barrier, added to before another, and read behind that, so that the sum is complete (rules 11.3, 7.2).
//
//clmc:expect verified
//clmc:expect -D n=512 verified
//clmc:expect -D n=1024 verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 64

var sum cl.AtomicInt

func add() {
	own := cl.Local[cl.AtomicInt]()
	l := cl.GetLocalID(0)
	if l == 0 {
		cl.AtomicInit(own, 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	cl.AtomicFetchAddExplicit(own, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	if l == 0 {
		all := cl.AtomicLoadExplicit(own, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
		cl.AtomicFetchAddExplicit(&sum, all, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(add, cl.NDRange1D(n, n))
	cl.Finish()
	cl.Assert(cl.AtomicLoad(&sum) == n, "all have added")
}
