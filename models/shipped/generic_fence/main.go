// Command generic_fence orders memory behind a generic pointer with the fence
// that the pointer asks for.
//
// Idiom: get_fence and to_local on a generic pointer. Source: OpenCL C 6.15.10.
//
// Derivation: get_fence tells the region that a generic pointer points to (rule
// 1.3), so the release fence has the flag of the data's region and, since the
// fence must also go with the flag variable's (rule 6.6), that of local memory.
// If the data is local, one flag serves for both. If it is global, both fences
// have both flags and order both regions (rule 6.7). With lazy=1 the fences have
// the local flag only, which leaves global data unordered: a race (rule 9.1).
//
//clmc:expect verified
//clmc:expect -D lazy=1 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const lazy = 0

var (
	choice int32
	shared int32
)

func fence(p *int32, order cl.MemoryOrder) {
	if lazy == 0 && cl.GetFence(p) == cl.CLKGlobalMemFence {
		cl.AtomicWorkItemFence(cl.CLKLocalMemFence|cl.CLKGlobalMemFence, order, cl.MemoryScopeWorkGroup)
	} else {
		cl.AtomicWorkItemFence(cl.CLKLocalMemFence, order, cl.MemoryScopeWorkGroup)
	}
}

func mp() {
	flag := cl.Local[cl.AtomicInt]()
	tile := cl.Local[int32]()
	if cl.GetLocalID(0) == 0 {
		cl.AtomicInit(flag, 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	data := &shared
	if choice == 1 {
		data = tile
	}
	cl.Assert((cl.ToLocal(data) != nil) == (choice == 1), "to_local knows local memory")
	cl.Assert((cl.ToGlobal(data) != nil) == (choice == 0), "to_global knows global memory")
	if cl.GetLocalID(0) == 0 {
		*data = 42
		fence(data, cl.MemoryOrderRelease)
		cl.AtomicStoreExplicit(flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
	} else if cl.AtomicLoadExplicit(flag, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup) == 1 {
		fence(data, cl.MemoryOrderAcquire)
		cl.Reachable("the flag was seen")
		cl.Assert(*data == 42, "the value arrived")
	}
}

func main() {
	choice = int32(cl.Choose(2))
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 2))
	cl.Finish()
}
