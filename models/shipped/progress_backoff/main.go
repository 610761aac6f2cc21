// Command progress_backoff takes a lock, and looks a few times before it tries again.
//
// Idiom: a lock with back-off. Source: OpenCL 3.2.2 (rule 11.8); docs/liveness.md.
//
// Derivation: as progress_lock. How long one waits between two tries changes nothing.
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
		for range 2 {
			cl.AtomicLoadExplicit(&lock, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		}
	}
	data++
	cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
