// Command progress_barrier_twice has two work-groups meet twice at a barrier that they
// make of a counter.
//
// Idiom: a barrier between work-groups that is used again. Source: OpenCL 3.2.2 (rule
// 11.8); docs/liveness.md.
//
// Derivation: as progress_barrier. At the second meeting both have started; at the first
// nothing but fair guarantees that.
//
//clmc:expect verified
//clmc:expect liveness=unfair violated CL1020
//clmc:expect liveness=hsa violated CL1020
//clmc:expect liveness=obe violated CL1020
//clmc:expect liveness=hsa_obe violated CL1020
//clmc:expect liveness=lobe violated CL1020
//clmc:expect liveness=fair verified
//clmc:expect liveness=hsa fairness=strong violated CL1020
//clmc:expect liveness=obe fairness=strong violated CL1020
//clmc:expect liveness=hsa_obe fairness=strong violated CL1020
//clmc:expect liveness=lobe fairness=strong violated CL1020
//clmc:expect liveness=fair fairness=strong verified
package main

import "github.com/clmc/clmc/models/cl"

var (
	come cl.AtomicInt
	data [2]int32
)

func k() {
	me := cl.GetGroupID(0)
	for round := int32(1); round <= 2; round++ {
		data[me] += round
		cl.AtomicFetchAddExplicit(&come, 1, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice)
		for cl.AtomicLoadExplicit(&come, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) < 2*round {
		}
	}
	cl.Assert(data[1-me] == 3, "both have been there twice")
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
