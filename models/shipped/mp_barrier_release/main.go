// Command mp_barrier_release uses the release fence in a barrier to publish
// data to another work-group.
//
// Idiom: a barrier as a fence towards strangers; the scope of a barrier. Source:
// OpenCL 3.3.7.3; OpenCL C 6.15.8.
//
// Derivation: the entry fence of the barrier is a release fence with the
// barrier's flags and scope (rule 11.2). With device scope it synchronises with
// the acquire load in the other work-group that reads the flag (rule 6.4). The
// default, work-group scope, is not inclusive there, and data is raced for (rules
// 3.5, 9.1).
//
//clmc:expect violated CL1001
//clmc:expect -D wide=true verified
package main

import "github.com/clmc/clmc/models/cl"

const wide = false

var (
	data int32
	flag cl.AtomicInt
)

func mp() {
	id := cl.GetGlobalID(0)
	if id == 0 {
		data = 42
	}
	if wide {
		cl.WorkGroupBarrier(cl.CLKGlobalMemFence, cl.MemoryScopeDevice)
	} else {
		cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	}
	if id == 0 {
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
	if id == 2 && cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
		cl.Assert(data == 42, "the value arrived")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(4, 2))
	cl.Finish()
}
