// Command progress_lock_leader has the first work-item of each sub-group take a lock for
// all of it.
//
// Idiom: a lock on devices whose sub-groups run in lockstep. Source: OpenCL 3.2.2 (rule
// 11.8); docs/liveness.md.
//
// Derivation: the other work-item waits at a barrier of the sub-group meanwhile. So the
// one that holds the lock, or waits for it, is the only one of its sub-group that can go
// on: it is served if its sub-group is, however unfair that is. So the verdicts are those
// of progress_lock, also with unfair sub-groups (gpu-lockstep).
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
//clmc:expect liveness=gpu-lockstep verified
//clmc:expect liveness=opencl violated CL1020
//clmc:expect liveness=opencl-ifp violated CL1020
//clmc:expect liveness=device=obe,group=fair,subgroup=unfair verified
package main

import "github.com/clmc/clmc/models/cl"

var (
	lock cl.AtomicInt
	data int32
)

func k() {
	if cl.GetSubGroupLocalID() == 0 {
		for cl.AtomicExchangeExplicit(&lock, 1, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != 0 {
		}
	}
	cl.SubGroupBarrier(cl.CLKGlobalMemFence)
	if cl.GetSubGroupLocalID() == 0 {
		data++
		cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 2))
	cl.Finish()
}
