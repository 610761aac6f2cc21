// Command progress_two_flags waits for either of two flags, of which none may come.
//
// Idiom: a wait for several events. Source: OpenCL 3.2.2 (rule 11.8); docs/liveness.md.
//
// Derivation: in one of three cases work-group 1 sets neither flag. Then work-group 0
// reads 0 in both for ever. A round has two reads, which is why it is CL1018 and no
// CL1011.
//
//clmc:expect violated CL1018
//clmc:expect liveness=fair violated CL1018
package main

import "github.com/clmc/clmc/models/cl"

var a, b cl.AtomicInt

func k() {
	if cl.GetGroupID(0) == 0 {
		for cl.AtomicLoadExplicit(&a, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0 &&
			cl.AtomicLoadExplicit(&b, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0 {
		}
		return
	}
	switch cl.Choose(3) {
	case 0:
		cl.AtomicStoreExplicit(&a, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	case 1:
		cl.AtomicStoreExplicit(&b, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
