// Command enqueue_hang waits in a kernel for what its child does.
//
// Idiom: a parent that spins on a flag that its NO_WAIT child sets. Source: OpenCL
// C 6.15.18 and its footnotes.
//
// Derivation: NO_WAIT allows the child to start at once, but the implementation
// need not honour that (rule 12.13): it may start the child when the parent has
// ended, which then never happens (CL1011). A single look at the flag hangs
// nowhere.
//
//clmc:expect violated CL1011
//clmc:expect -D spin=false verified
package main

import "github.com/clmc/clmc/models/cl"

const spin = true

var flag cl.AtomicInt

func parent() {
	cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), func() {
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	})
	for cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0 {
		if !spin {
			return
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	cl.Finish()
}
