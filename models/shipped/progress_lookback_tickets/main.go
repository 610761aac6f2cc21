// Command progress_lookback_tickets adds up a prefix sum by look-back among work-groups
// that draw numbers.
//
// Idiom: decoupled look-back with dynamic numbers. Source: OpenCL 3.2.2 (rule 11.8);
// docs/liveness.md.
//
// Derivation: as progress_tickets: who waits has drawn a number, and waits for one that
// was drawn before, by a work-group that has started. Under hsa work-group 2 may draw the
// first number and stop.
//
//clmc:expect verified
//clmc:expect liveness=unfair violated CL1020
//clmc:expect liveness=hsa violated CL1020
//clmc:expect liveness=obe verified
//clmc:expect liveness=hsa_obe verified
//clmc:expect liveness=lobe verified
//clmc:expect liveness=fair verified
//clmc:expect liveness=hsa fairness=strong violated CL1020
//clmc:expect liveness=obe fairness=strong verified
//clmc:expect liveness=hsa_obe fairness=strong verified
//clmc:expect liveness=lobe fairness=strong verified
//clmc:expect liveness=fair fairness=strong verified
//clmc:expect liveness=gpu verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 3

var (
	next  cl.AtomicInt
	state [n]cl.AtomicInt // 1: all up to this one are summed up
	sum   [n]int32
)

func k() {
	me := cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
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
