// Command lb_data_both is load buffering in which both stores write the value that
// their work-item has loaded: can 1 come out of thin air?
//
// Shape: LB with data dependencies on both sides. Source: OpenCL 3.3.7.1, rule 7.8;
// Kang et al., POPL 2017, section 1, example OOTA.
//
// Derivation: alone, each work-item loads 0 and stores 0. So neither can certify a
// store of 1, none is ever made, and both read 0.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0
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
		cl.AtomicStoreExplicit(&x, r, cl.MemoryOrderRelaxed)
		cl.Observe("r1", r)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
