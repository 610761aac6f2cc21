// Command mp_local_flag_two_fences splits the fences of
// mp_local_flag_two_flag_fences into one for each kind of memory.
//
// Idiom: two fences of one flag each, taken for one fence of two flags. Source:
// OpenCL 3.3.7.2; OpenCL C 6.15.12, atomic_work_item_fence.
//
// Derivation: only a fence that has both flags links the two kinds of memory
// (rules 4.4, 6.7). The global fences do not meet through a local flag (rule
// 6.6), and the local ones order local memory only: data is raced for (rule 9.1).
// The 2.0 manual page calls the two forms equal; clmc follows the specification.
//
//clmc:expect violated CL1001
//clmc:expect spec=2.0 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

var data int32

func mp() {
	flag := cl.Local[cl.AtomicInt]()
	id := cl.GetLocalID(0)
	if id == 0 {
		cl.AtomicInit(flag, 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	if id == 0 {
		data = 42
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
		cl.AtomicWorkItemFence(cl.CLKLocalMemFence, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
		cl.AtomicStoreExplicit(flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
		return
	}
	seen := cl.AtomicLoadExplicit(flag, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup) == 1
	cl.AtomicWorkItemFence(cl.CLKLocalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup)
	cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup)
	if seen {
		cl.Assert(data == 42, "the value arrived")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 2))
	cl.Finish()
}
