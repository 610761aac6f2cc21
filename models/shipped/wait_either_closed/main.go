// Command wait_either_closed is wait_either with a third case: who has nothing to
// say sets a flag, too.
//
// Idiom: a wait for whoever comes first. Source: OpenCL 3.2.2 and 3.3.7.
//
// Derivation: in each of the three cases one flag is set, and the store is not
// overwritten. The reader reads it in the end (rule 7.9), and until then it may
// always read it next: from each state some execution comes to an end.
//
//clmc:expect verified
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
	default:
		set(&right)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(talk, cl.NDRange1D(2, 1))
	cl.Finish()
}
