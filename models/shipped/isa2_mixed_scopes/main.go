// Command isa2_mixed_scopes hands plain data on through a flag of work-group
// scope and then one of device scope.
//
// Shape: ISA2, each step with the narrowest scope that is enough. Source: OpenCL
// 3.3.7.
//
// Derivation: work-items 0 and 1 share a work-group, so the first flag
// synchronises with work-group scope (rule 3.5); the second crosses with device
// scope. Happens-before is transitive whatever the scopes of its steps (rule 5.5).
// Work-item 1 in another group: the first flag is raced for (rule 9.2).
//
//clmc:expect verified
//clmc:expect -D localSize=1 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const localSize = 2

var (
	data int32
	x, y cl.AtomicInt
)

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		data = 42
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
	case 1:
		if cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup) == 1 {
			cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		}
	case 2:
		if cl.AtomicLoadExplicit(&y, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(4, localSize))
	cl.Finish()
}
