// Command lb_race has a data race only in an execution with load buffering.
//
// Shape: load buffering (LB), then a non-atomic write by whoever read 1. Source: OpenCL
// 3.3.7.1, "data race".
//
// Derivation: as in lb_relaxed both loads may read 1. Then both work-items write data,
// and nothing orders the two (rule 9.1). In every execution of program order one load
// reads 0.
//
//clmc:expect violated CL1001
//clmc:expect promises=0 verified
package main

import "github.com/clmc/clmc/models/cl"

var (
	x, y cl.AtomicInt
	data int32
)

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
		if r == 1 {
			data = 1
		}
	case 1:
		r := cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
		if r == 1 {
			data = 2
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
