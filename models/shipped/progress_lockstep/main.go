// Command progress_lockstep has two work-items of one sub-group take a spin lock.
//
// Idiom: a lock within a sub-group. Source: OpenCL 3.2.2 (rule 11.8); docs/liveness.md.
//
// Derivation: there is one work-group, so that it makes steps under every model of work-
// groups. Within it work-items are fair unless the question says otherwise: whoever holds
// the lock releases it. If work-items of a sub-group are unfair, one may take the lock and
// stop while the other goes round. So it is with opencl, opencl-ifp and gpu-lockstep.
//
//clmc:expect verified
//clmc:expect liveness=unfair verified
//clmc:expect liveness=hsa verified
//clmc:expect liveness=obe verified
//clmc:expect liveness=hsa_obe verified
//clmc:expect liveness=lobe verified
//clmc:expect liveness=fair verified
//clmc:expect liveness=hsa fairness=strong verified
//clmc:expect liveness=obe fairness=strong verified
//clmc:expect liveness=hsa_obe fairness=strong verified
//clmc:expect liveness=lobe fairness=strong verified
//clmc:expect liveness=fair fairness=strong verified
//clmc:expect liveness=gpu verified
//clmc:expect liveness=gpu-lockstep violated CL1020
//clmc:expect liveness=opencl violated CL1020
//clmc:expect liveness=opencl-ifp violated CL1020
//clmc:expect liveness=device=fair,group=unfair violated CL1020
//clmc:expect liveness=device=unfair,group=obe verified
package main

import "github.com/clmc/clmc/models/cl"

var (
	lock cl.AtomicInt
	data int32
)

func k() {
	for cl.AtomicExchangeExplicit(&lock, 1, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup) != 0 {
	}
	data++
	cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 2))
	cl.Finish()
}
