// Command mp_fences_wrong_flag fences local memory where flag and data are
// global.
//
// Idiom: message passing (MP) with CLK_LOCAL_MEM_FENCE by mistake. Source:
// OpenCL 3.3.7.2.
//
// Derivation: fences with only the local flag synchronise through local
// atomics alone (rule 6.6); the flag is global, so nothing orders the accesses
// of data (rule 9.1).
//
//clmc:expect violated CL1001
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
		cl.AtomicWorkItemFence(cl.CLKLocalMemFence, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	case 1:
		seen := cl.AtomicLoadExplicit(&flag, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1
		cl.AtomicWorkItemFence(cl.CLKLocalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup)
		if seen {
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 2))
	cl.Finish()
}
