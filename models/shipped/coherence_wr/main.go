// Command coherence_wr writes a location and then reads it, while another
// work-item writes it.
//
// Shape: CoWR. Source: OpenCL 3.3.7, write-read coherence.
//
// Derivation: the load reads 1 or something later in modification order (rule 7.6).
// If it reads 2, then 2 follows 1 and is the last value.
//
//clmc:expect verified
//clmc:outcomes 0:r0=1 x=1 | 0:r0=1 x=2 | 0:r0=2 x=2
package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
		cl.Observe("r0", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
	case 1:
		cl.AtomicStoreExplicit(&x, 2, cl.MemoryOrderRelaxed)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
	cl.Observe("x", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
}
