// Command lb_data is load buffering in which one store writes the value that its
// work-item has loaded.
//
// Shape: LB with a data dependency on one side. Source: OpenCL 3.3.7.1; Kang et al.,
// POPL 2017, section 1, example LBd.
//
// Derivation: work-item 1 stores 1 to x whatever it loads, so it can promise that
// store (rule 7.8 is kept); work-item 0 loads it and hands it on, and both loads
// read 1. If r0 = 0, y stays 0 and so r1 = 0. Without promises r1 = 1 would need the
// store to x to come after the load that it depends on: not with --promises 0.
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
		cl.AtomicStoreExplicit(&y, r, cl.MemoryOrderRelaxed)
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
