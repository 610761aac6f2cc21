// Command progress_seqlock reads under a sequence lock that its writer may leave locked.
//
// Idiom: a sequence lock. Source: OpenCL 3.2.2 (rule 11.8); docs/liveness.md.
//
// Derivation: if the writer ends with 1 in the sequence, a reader that has read this 1
// reads nothing else: it tries again for ever. A round has two reads, which is why it is
// CL1018 and no CL1011.
//
//clmc:expect violated CL1018
//clmc:expect liveness=fair violated CL1018
package main

import "github.com/clmc/clmc/models/cl"

var sequence, data cl.AtomicInt

func k() {
	if cl.GetGroupID(0) == 0 {
		cl.AtomicStoreExplicit(&sequence, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.AtomicStoreExplicit(&data, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		if cl.Choose(2) == 0 {
			cl.AtomicStoreExplicit(&sequence, 2, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		}
		return
	}
	for {
		before := cl.AtomicLoadExplicit(&sequence, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
		cl.AtomicLoadExplicit(&data, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
		if before%2 == 0 && cl.AtomicLoadExplicit(&sequence, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == before {
			break
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
