// Command coherence_rw reads a location and then writes it, while another
// work-item writes it.
//
// Shape: CoRW. Source: OpenCL 3.3.7, read-write coherence.
//
// Derivation: the load precedes the store of 1, so it does not read 1, and what it
// reads comes before 1 in modification order (rule 7.5). If it reads 2, the last
// value is 1.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 x=1 | 0:r0=0 x=2 | 0:r0=2 x=1
package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.Observe("r0", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
	case 1:
		cl.AtomicStoreExplicit(&x, 2, cl.MemoryOrderRelaxed)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
	cl.Observe("x", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
}
