// Command meet has g work-groups of w sum in local memory, and meet in one counter: the last of them to come adds up.
//
// Derivation: the sum of a group is complete behind its barrier (rule 11.3). A group stores it before it adds to the counter, with acquire and release; who
// reads g-1 there comes behind all others (rules 5.4, 6.1), and so reads all sums.
//
//clmc:expect verified
//clmc:expect -D w=4 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	g = 2
	w = 2
)

var (
	part   [g]int32
	came   cl.AtomicUint
	result int32
)

func sum() {
	own := cl.Local[cl.AtomicInt]()
	l := cl.GetLocalID(0)
	if l == 0 {
		cl.AtomicInit(own, 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	cl.AtomicFetchAddExplicit(own, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	if l != 0 {
		return
	}
	part[cl.GetGroupID(0)] = cl.AtomicLoadExplicit(own, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
	if cl.AtomicFetchAddExplicit(&came, 1, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice) == g-1 {
		for i := range g {
			result += part[i]
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(sum, cl.NDRange1D(g*w, w))
	cl.Finish()
	cl.Assert(result == g*w, "all have added")
}
