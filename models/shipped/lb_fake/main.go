// Command lb_fake is load buffering in which each store's value is computed from the
// load before it, but comes out as 1 in any case.
//
// Shape: LB with fake data dependencies. Source: OpenCL 3.3.7.1; Kang et al., POPL 2017,
// section 1, example LBfd.
//
// Derivation: 1 + 0 * r and 1 + r - r are 1 whatever r is. So both stores can be
// promised (rule 7.8), as a compiler may compute the value first, and all four outcomes are possible.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
//clmc:expect promises=0 verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&y, 1+0*r, cl.MemoryOrderRelaxed)
		cl.Observe("r0", r)
	case 1:
		r := cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&x, 1+r-r, cl.MemoryOrderRelaxed)
		cl.Observe("r1", r)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
