// Command mp_fence_scope shows that it is the fences' scope that counts, not
// that of the atomics between them.
//
// Idiom: message passing (MP) with fences of work-group scope around atomics of
// device scope. Source: OpenCL 3.3.7.2.
//
// Derivation: rule 6.3 asks for inclusive scopes of the two fences. In two
// work-groups, fences of work-group scope do not synchronise, and data is raced
// for (rule 9.1); the flag is not, having device scope. Fences of device scope
// synchronise.
//
//clmc:expect violated CL1001
//clmc:expect spec=3.1 violated CL1001
//clmc:expect -D wide=true verified
package main

import "github.com/clmc/clmc/models/cl"

const wide = false

var (
	data int32
	flag cl.AtomicInt
)

func release() {
	if wide {
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	} else {
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
	}
}

func acquire() {
	if wide {
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
	} else {
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup)
	}
}

func mp() {
	switch cl.GetGlobalID(0) {
	case 0:
		data = 42
		release()
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	case 1:
		seen := cl.AtomicLoadExplicit(&flag, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1
		acquire()
		if seen {
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 1))
	cl.Finish()
}
