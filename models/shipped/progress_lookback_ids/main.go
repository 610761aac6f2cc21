// Command progress_lookback_ids adds up a prefix sum by look-back among work-groups in the
// order of their ids.
//
// Idiom: decoupled look-back by ids. Source: OpenCL 3.2.2 (rule 11.8); docs/liveness.md.
//
// Derivation: each waits for the next lower one. The lowest that has not ended waits for
// nobody that has not, so that hsa, which guarantees it, is enough. Under obe work-group 1
// may start alone. Under lobe all lower ones are guaranteed then.
//
//clmc:expect verified
//clmc:expect liveness=unfair violated CL1020
//clmc:expect liveness=hsa verified
//clmc:expect liveness=obe violated CL1020
//clmc:expect liveness=hsa_obe verified
//clmc:expect liveness=lobe verified
//clmc:expect liveness=fair verified
//clmc:expect liveness=hsa fairness=strong verified
//clmc:expect liveness=obe fairness=strong violated CL1020
//clmc:expect liveness=hsa_obe fairness=strong verified
//clmc:expect liveness=lobe fairness=strong verified
//clmc:expect liveness=fair fairness=strong verified
//clmc:expect liveness=gpu verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 3

var (
	state [n]cl.AtomicInt // 1: all up to this one are summed up
	sum   [n]int32
)

func k() {
	me := cl.GetGroupID(0)
	sum[me] = int32(me) + 1
	if me > 0 {
		for cl.AtomicLoadExplicit(&state[me-1], cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0 {
		}
		sum[me] += sum[me-1]
	}
	cl.AtomicStoreExplicit(&state[me], 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	cl.Assert(sum[me] == (int32(me)+1)*(int32(me)+2)/2, "the sum up to here")
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, 1))
	cl.Finish()
}
