// Command lb_control_both is load buffering in which each store is made only if the
// load before it reads 1.
//
// Shape: LB with control dependencies on both sides. Source: OpenCL 3.3.7.1, rule 7.8;
// Kang et al., POPL 2017, section 1.
//
// Derivation: alone, neither work-item stores anything, so neither can certify a
// promise, and both read 0. The axioms of the specification by themselves would allow
// r0 = r1 = 1: out of thin air.
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
		if r == 1 {
			cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
		}
		cl.Observe("r0", r)
	case 1:
		r := cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed)
		if r == 1 {
			cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
		}
		cl.Observe("r1", r)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
