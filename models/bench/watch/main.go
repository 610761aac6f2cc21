// Command watch has a producer publish k rounds. Of n others, one waits for the last, and acquires by a fence what was published; the rest look
// twice how far the producer is, and acquire nothing.
//
// Derivation: who waits reads k, from the release of the last round, and the fence behind acquires it (rule 6.5), so it reads k (rule 7.2).
// Who does not acquire may read any value of the data.
//
// What such a unit has read, and would take by a fence that it does not have, need not be known of it.
//
//clmc:expect verified
//clmc:expect -D n=3 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n = 2
	k = 2
)

var data, round, seen cl.AtomicInt

func work() {
	switch cl.GetGlobalID(0) {
	case 0:
		for i := range int32(k) {
			cl.AtomicStoreExplicit(&data, i+1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
			cl.AtomicStoreExplicit(&round, i+1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		}
	case 1:
		for cl.AtomicLoadExplicit(&round, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) != k {
		}
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
		cl.Assert(cl.AtomicLoadExplicit(&data, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == k, "all that was published is seen")
	default:
		cl.AtomicLoadExplicit(&round, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.AtomicLoadExplicit(&round, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.Observe("came", cl.AtomicFetchAddExplicit(&seen, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
		cl.Observe("data", cl.AtomicLoadExplicit(&data, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(work, cl.NDRange1D(n+1, 1))
	cl.Finish()
}
