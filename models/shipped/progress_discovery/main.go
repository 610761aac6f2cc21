// Command progress_discovery has those work-groups meet at a barrier that are found to
// run.
//
// Idiom: a barrier between work-groups with a discovery protocol. Source: Sorensen et al.,
// "Portable inter-workgroup barrier synchronisation for GPUs", OOPSLA 2016; OpenCL 3.2.2
// (rule 11.8); docs/liveness.md.
//
// Derivation: a work-group takes part if it comes while the poll is open; whoever has come
// closes it. All that take part have started, and how many they are does not change behind
// the poll. So the barrier ends, and the lock is released, if those who have started are
// not neglected. Under hsa work-group 1 may stop with the lock in its hands. The count is
// written and read under the lock, or when nobody writes it any more: no race.
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

var (
	lock, come cl.AtomicInt
	closed     bool
	count      int32
)

func acquire() {
	for cl.AtomicExchangeExplicit(&lock, 1, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != 0 {
	}
}

func release() { cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease, cl.MemoryScopeDevice) }

func k() {
	acquire()
	part := !closed
	if part {
		count++
	}
	release()
	acquire()
	closed = true
	release()
	if !part {
		return
	}
	cl.AtomicFetchAddExplicit(&come, 1, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice)
	for cl.AtomicLoadExplicit(&come, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != count {
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
