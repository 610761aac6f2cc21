// Command coherence_ww writes a location twice: the second value is the last.
//
// Shape: CoWW. Source: OpenCL 3.3.7, write-write coherence.
//
// Derivation: the first store happens before the second and precedes it in
// modification order (rule 7.3). Another work-item's store may come anywhere.
//
//clmc:expect verified
//clmc:outcomes x=2 | x=3
package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&x, 2, cl.MemoryOrderRelaxed)
	case 1:
		cl.AtomicStoreExplicit(&x, 3, cl.MemoryOrderRelaxed)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
	cl.Observe("x", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
}
