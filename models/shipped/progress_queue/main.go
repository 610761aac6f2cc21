// Command progress_queue hands items from one work-group to another by a queue with few
// slots.
//
// Idiom: a bounded queue. Source: OpenCL 3.2.2 (rule 11.8); docs/liveness.md.
//
// Derivation: with one slot for two items the producer, which is lower, waits for the
// consumer as well: that one need not start unless all are guaranteed. With a slot for
// each item only the consumer waits, as in progress_flag_up.
//
//clmc:expect verified
//clmc:expect liveness=unfair violated CL1020
//clmc:expect liveness=hsa violated CL1020
//clmc:expect liveness=obe violated CL1020
//clmc:expect liveness=hsa_obe violated CL1020
//clmc:expect liveness=lobe violated CL1020
//clmc:expect liveness=fair verified
//clmc:expect liveness=hsa fairness=strong violated CL1020
//clmc:expect liveness=obe fairness=strong violated CL1020
//clmc:expect liveness=hsa_obe fairness=strong violated CL1020
//clmc:expect liveness=lobe fairness=strong violated CL1020
//clmc:expect liveness=fair fairness=strong verified
//clmc:expect -D slots=2 verified
//clmc:expect -D slots=2 liveness=unfair violated CL1020
//clmc:expect -D slots=2 liveness=hsa verified
//clmc:expect -D slots=2 liveness=obe violated CL1020
//clmc:expect -D slots=2 liveness=hsa_obe verified
//clmc:expect -D slots=2 liveness=lobe verified
//clmc:expect -D slots=2 liveness=fair verified
//clmc:expect -D slots=2 liveness=hsa fairness=strong verified
//clmc:expect -D slots=2 liveness=obe fairness=strong violated CL1020
//clmc:expect -D slots=2 liveness=hsa_obe fairness=strong verified
//clmc:expect -D slots=2 liveness=lobe fairness=strong verified
//clmc:expect -D slots=2 liveness=fair fairness=strong verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	slots = 1
	items = 2
)

var (
	head, tail cl.AtomicInt // how many were taken, and put
	slot       [slots]int32
)

func produce() {
	for i := int32(0); i < items; i++ {
		for i-cl.AtomicLoadExplicit(&head, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) >= slots {
		}
		slot[i%slots] = i + 1
		cl.AtomicStoreExplicit(&tail, i+1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	}
}

func consume() {
	for i := int32(0); i < items; i++ {
		for cl.AtomicLoadExplicit(&tail, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) <= i {
		}
		cl.Assert(slot[i%slots] == i+1, "items come in order")
		cl.AtomicStoreExplicit(&head, i+1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	}
}

func k() {
	if cl.GetGroupID(0) == 0 {
		produce()
	} else {
		consume()
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
