// Command progress_cas_leak has a work-group that may return without releasing its lock,
// which is taken by weak compare-exchanges.
//
// Idiom: a way out that forgets the lock. Source: OpenCL 3.2.2 (rule 11.8);
// docs/liveness.md.
//
// Derivation: as progress_lock_leak. That a weak compare-exchange may fail without a
// reason changes nothing: it does not fail for ever where it could succeed
// (docs/liveness.md).
//
//clmc:expect violated CL1011
//clmc:expect liveness=fair violated CL1011
package main

import "github.com/clmc/clmc/models/cl"

var lock cl.AtomicInt

func k() {
	for {
		free := int32(0)
		if cl.AtomicCompareExchangeWeakExplicit(&lock, &free, 1, cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) {
			break
		}
	}
	if cl.GetGroupID(0) == 0 && cl.Choose(2) == 1 {
		return // and keeps the lock
	}
	cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
