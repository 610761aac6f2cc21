// Command progress_lock has two work-groups take a spin lock once.
//
// Idiom: a lock between work-groups. Source: OpenCL 3.2.2 (rule 11.8); progress models as
// in docs/liveness.md.
//
// Derivation: the exchange that reads 0 reads the release that freed the lock, so that
// data is accessed by one at a time (rule 6.1). Whoever holds the lock has started. So it
// is released if those who have started are not neglected (obe, and all that promise that:
// hsa_obe, lobe, fair). Under hsa work-group 1 may take the lock and stop: work-group 0,
// which is lower, goes round, and nothing guarantees work-group 1; strong fairness
// promises it nothing either. Under unfair nobody is guaranteed, and who goes round makes
// steps.
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
package main

import "github.com/clmc/clmc/models/cl"

var (
	lock cl.AtomicInt
	data int32
)

func k() {
	for cl.AtomicExchangeExplicit(&lock, 1, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != 0 {
	}
	data++
	cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
