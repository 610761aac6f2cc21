// Command mp_fences hands data over with relaxed atomics and two fences.
//
// Idiom: message passing (MP) with atomic_work_item_fence on both sides. Source:
// OpenCL 3.3.7.2.
//
// Derivation: the release fence precedes the store of the flag and the acquire
// fence follows the load that reads it; both are global fences of device scope
// and the flag is global: they synchronise (rule 6.3).
//
//clmc:expect verified
//clmc:expect spec=3.1 verified
//clmc:expect spec=popl16 verified
package main

import "github.com/clmc/clmc/models/cl"

var (
	data int32
	flag cl.AtomicInt
)

func mp() {
	switch cl.GetGlobalID(0) {
	case 0:
		data = 42
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	case 1:
		seen := cl.AtomicLoadExplicit(&flag, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
		if seen {
			cl.Reachable("the flag was seen")
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 1))
	cl.Finish()
}
