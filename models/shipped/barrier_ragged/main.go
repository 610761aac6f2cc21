// Command barrier_ragged has work-items go round one loop unequally often and
// another one together, for as long as the host lets them.
//
// Idiom: rows of unequal length, with a barrier for rows that overflow, then phases
// of work and exchange until a stop flag is seen. Source: OpenCL C 6.15.8.
//
// Derivation: a work-item must reach a barrier in the same iteration of each loop
// around it as the others (rule 11.1). No row overflows, so nobody reaches the
// barrier of the first loop; how often each has gone round that loop is no matter at
// the barriers behind it, which are not in it. Everybody goes through the second loop
// in step: the work-items exchange in every second round, and whether they stop is
// one value for all (rule 11.6). An element is written before a barrier and read
// between it and the next (rule 11.3). That there is no last round does not make
// infinitely many states: only how far work-items get apart is counted.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n        = 2
	capacity = 8
)

var length [n]int32

//cl:memory svm_fine_atomics
var stop cl.AtomicInt

func stopped() bool {
	return cl.AtomicLoadExplicit(&stop, cl.MemoryOrderRelaxed, cl.MemoryScopeAllSVMDevices) != 0
}

func kernel() {
	tile := cl.Local[[n]int32]()
	l := cl.GetLocalID(0)
	sum := int32(0)
	for j := range length[l] {
		sum += j
		if sum > capacity {
			cl.WorkGroupBarrier(cl.CLKLocalMemFence)
		}
	}
	for exchange := false; ; exchange = !exchange {
		if !exchange {
			continue
		}
		tile[l] = sum
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
		cl.Assert(tile[1-l] == int32(3*(1-l)), "the sum of the other row")
		if cl.WorkGroupAny(stopped()) {
			break
		}
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	}
	cl.Reachable("the work-items have stopped")
}

func main() {
	length[0], length[1] = 1, 3
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(n, n))
	cl.AtomicStoreExplicit(&stop, 1, cl.MemoryOrderRelaxed)
	cl.Finish()
}
