// Command seq_cst_saved_load is seq_cst_hidden_store with a third work-item, which stores to
// x when both others have written d.
//
// Shape: store buffering (SB) with two stores in front, by two work-items. Source:
// OpenCL 3.3.7.1, the rule on seq_cst loads.
//
// Derivation: now x=3 may stand between x=2 and the load of x in S: nothing orders it
// after the load but that a work-item has seen y, by relaxed accesses, which is no
// happens-before (rule 8.2). Then it is the last seq_cst write of x before the load, and
// x=1 does not happen before it, so that the load may return x=1 (rule 8.3). Both
// work-items write d: a race (rule 9.1), in an execution that is consistent only since a
// store comes later in time. In the published models a seq_cst load precedes all seq_cst
// writes that are later in modification order than what it reads, and there is no race.
//
//clmc:expect violated CL1001
//clmc:expect spec=popl16 verified
package main

import "github.com/clmc/clmc/models/cl"

var (
	x, y, z cl.AtomicInt
	d       int32
)

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.AtomicStore(&x, 2)
		if cl.AtomicLoad(&z) == 0 {
			d = 1
			cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		}
	case 1:
		cl.AtomicStore(&z, 1)
		if cl.AtomicLoad(&x) == 1 {
			d = 2
		}
	case 2:
		if cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1 {
			cl.AtomicStore(&x, 3)
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(3, 1))
	cl.Finish()
}
