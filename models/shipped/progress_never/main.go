// Command progress_never has a work-group wait for a value that nobody writes.
//
// Idiom: a wait that nothing ends. Source: OpenCL 3.2.2 (rule 11.8); docs/liveness.md.
//
// Derivation: the flag becomes 1, and work-group 0 waits for 2. No scheduler helps. So
// that is told without asking, and an answer to each question.
//
//clmc:expect violated CL1011
//clmc:expect liveness=fair violated CL1011
//clmc:expect liveness=unfair violated CL1011
package main

import "github.com/clmc/clmc/models/cl"

var flag cl.AtomicInt

func k() {
	if cl.GetGroupID(0) == 1 {
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		return
	}
	for cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != 2 {
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
