// Command progress_ttas_leak has a work-group that may return without releasing its lock,
// which is looked at before it is taken.
//
// Idiom: test and test-and-set. Source: OpenCL 3.2.2 (rule 11.8); docs/liveness.md.
//
// Derivation: as progress_lock_leak: who looks reads 1 for ever, and never comes to the
// exchange.
//
//clmc:expect violated CL1011
//clmc:expect liveness=fair violated CL1011
package main

import "github.com/clmc/clmc/models/cl"

var lock cl.AtomicInt

func k() {
	for cl.AtomicLoadExplicit(&lock, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) != 0 ||
		cl.AtomicExchangeExplicit(&lock, 1, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != 0 {
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
