// Command progress_barrier has all work-groups meet at a barrier that they make of a
// counter.
//
// Idiom: a barrier between work-groups, without knowing who runs. Source: OpenCL 3.2.2
// (rule 11.8); docs/liveness.md.
//
// Derivation: nobody leaves before all have come. Work-group 0 may come alone: then it
// waits, it is the lowest that can make a step, and nothing but fair guarantees that the
// others start.
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

const n = 3

var (
	come cl.AtomicInt
	data [n]int32
)

func k() {
	me := cl.GetGroupID(0)
	data[me] = 1
	cl.AtomicFetchAddExplicit(&come, 1, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice)
	for cl.AtomicLoadExplicit(&come, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != n {
	}
	cl.Assert(data[(me+1)%n] == 1, "all have come")
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, 1))
	cl.Finish()
}
