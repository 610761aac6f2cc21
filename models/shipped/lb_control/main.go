// Command lb_control is load buffering in which one store is made only if the load
// before it reads 1.
//
// Shape: LB with a control dependency on one side. Source: OpenCL 3.3.7.1.
//
// Derivation: work-item 1 stores 1 to x whatever it loads and can promise it (rule 7.8). Then
// work-item 0 loads 1 and stores, and both loads read 1. If r0 = 0 there is no store
// to y, and r1 = 0.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
//clmc:expect promises=0 verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=1 1:r1=0
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed)
		if r == 1 {
			cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
		}
		cl.Observe("r0", r)
	case 1:
		r := cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
		cl.Observe("r1", r)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
