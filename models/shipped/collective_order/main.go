// Command collective_order puts a collective function between a relaxed load and
// a relaxed store of the same variable.
//
// Shape: read, meet, write. Source: OpenCL 3.2.2, 3.3.7.3.
//
// Derivation: what work_group_reduce returns depends on the values of all, so
// that nobody goes on before all have come (rules 11.4, 11.6): work-item 0's load
// cannot read what work-item 1 stores after the call, and is 0. In the other
// direction nothing is ordered: work-item 0's second load may read 0, the
// initial value, or 1, since no fence makes the store visible.
//
//clmc:expect verified
//clmc:outcomes 0:before=0 0:after=0 | 0:before=0 0:after=1
package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func kernel() {
	if cl.GetLocalID(0) == 0 {
		cl.Observe("before", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup))
	}
	sum := cl.WorkGroupReduceAdd(int32(1))
	if cl.GetLocalID(0) == 1 {
		cl.AtomicStoreExplicit(&x, sum-1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
	} else {
		cl.Observe("after", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 2))
	cl.Finish()
}
