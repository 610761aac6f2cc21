// Command mp_local_flag_two_flag_fences mends mp_local_flag by fences that name
// both kinds of memory.
//
// Idiom: CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE on both sides of a local
// flag. Source: OpenCL 3.3.7.2; OpenCL C 6.15.12, atomic_work_item_fence.
//
// Derivation: the fences meet through the local flag (rule 6.6), and since both
// have both flags, they synchronise in both relations (rule 6.7): the write of
// data happens before its read. One fence with only the local flag breaks it.
//
//clmc:expect verified
//clmc:expect spec=popl16 verified
//clmc:expect -D readerGlobal=false violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const readerGlobal = true

var data int32

func acquire() {
	if readerGlobal {
		cl.AtomicWorkItemFence(cl.CLKLocalMemFence|cl.CLKGlobalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup)
	} else {
		cl.AtomicWorkItemFence(cl.CLKLocalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup)
	}
}

func mp() {
	flag := cl.Local[cl.AtomicInt]()
	id := cl.GetLocalID(0)
	if id == 0 {
		cl.AtomicInit(flag, 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	if id == 0 {
		data = 42
		cl.AtomicWorkItemFence(cl.CLKLocalMemFence|cl.CLKGlobalMemFence, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
		cl.AtomicStoreExplicit(flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
		return
	}
	seen := cl.AtomicLoadExplicit(flag, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup) == 1
	acquire()
	if seen {
		cl.Assert(data == 42, "the value arrived")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 2))
	cl.Finish()
}
