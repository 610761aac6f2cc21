// Command progress_tickets has each work-group draw a number and wait for the one before.
//
// Idiom: work-groups in the order in which they start. Source: OpenCL 3.2.2 (rule 11.8);
// docs/liveness.md.
//
// Derivation: whoever has drawn a number has started, and waits for somebody who has drawn
// one before. The one with number 0 waits for nobody. So all end if those who have started
// are not neglected. Under hsa work-group 1 may draw number 0 and stop; work-group 0 draws
// number 1, and goes round as the lowest that can make a step.
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

const n = 3

var (
	next cl.AtomicInt
	done [n]cl.AtomicInt
)

func k() {
	my := cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	if my > 0 {
		for cl.AtomicLoadExplicit(&done[my-1], cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0 {
		}
	}
	cl.AtomicStoreExplicit(&done[my], 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, 1))
	cl.Finish()
}
