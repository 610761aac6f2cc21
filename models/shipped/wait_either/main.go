// Command wait_either waits for either of two flags, one of which the other
// work-group sets, unless it has nothing to say.
//
// Idiom: a wait for whoever comes first. Source: OpenCL 3.2.2 and 3.3.7.
//
// Derivation: a store that is never performed is never read (rules 5.1, 7.9). If
// the second work-group sets neither flag, both stay 0, and each round of the
// wait reads 0 and 0 and comes back. No scheduler helps: from there no execution
// comes to an end. Executions in which a flag is set do. So the hang is certain, but not
// everywhere, and no work-item is blocked: CL1018. wait_either_closed says that
// nothing will come.
//
//clmc:expect violated CL1018
package main

import "github.com/clmc/clmc/models/cl"

var left, right cl.AtomicInt

func empty(flag *cl.AtomicInt) bool {
	return cl.AtomicLoadExplicit(flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0
}

func set(flag *cl.AtomicInt) {
	cl.AtomicStoreExplicit(flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func talk() {
	if cl.GetGroupID(0) == 0 {
		for empty(&left) && empty(&right) {
		}
		return
	}
	switch cl.Choose(3) {
	case 0:
		set(&left)
	case 1:
		set(&right)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(talk, cl.NDRange1D(2, 1))
	cl.Finish()
}
