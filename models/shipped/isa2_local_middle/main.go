// Command isa2_local_middle hands global data on through a local flag and then a
// global one.
//
// Shape: ISA2 with its first flag in local memory. Source: OpenCL 3.3.7.
//
// Derivation: the first flag orders local memory only (rules 5.5, 6.1), so the
// write of data does not happen before work-item 1's release, nor before the read
// of data (rule 9.1), though each step of the chain synchronises.
//
//clmc:expect violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

var (
	data int32
	y    cl.AtomicInt
)

func kernel() {
	x := cl.Local[cl.AtomicInt]()
	if cl.GetLocalID(0) == 0 {
		cl.AtomicInit(x, 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	switch cl.GetGlobalID(0) {
	case 0:
		data = 42
		cl.AtomicStoreExplicit(x, 1, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
	case 1:
		if cl.AtomicLoadExplicit(x, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup) == 1 {
			cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		}
	case 2:
		if cl.AtomicLoadExplicit(&y, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(4, 2))
	cl.Finish()
}
