// Command mp_fence_and_operation lets a fence on one side meet an operation on
// the other.
//
// Idiom: message passing (MP), release fence with acquire load, or release store
// with acquire fence. Source: OpenCL 3.3.7.2.
//
// Derivation: rule 6.4 for the fence on the writer's side, rule 6.5 for that on
// the reader's; both sides have device scope.
//
//clmc:expect verified
//clmc:expect -D fenceWriter=false verified
package main

import "github.com/clmc/clmc/models/cl"

const fenceWriter = true

var (
	data int32
	flag cl.AtomicInt
)

func publish() {
	if fenceWriter {
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	} else {
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	}
}

func published() bool {
	if fenceWriter {
		return cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1
	}
	seen := cl.AtomicLoadExplicit(&flag, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1
	cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
	return seen
}

func mp() {
	switch cl.GetGlobalID(0) {
	case 0:
		data = 42
		publish()
	case 1:
		if published() {
			cl.Reachable("the flag was seen")
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 1))
	cl.Finish()
}
