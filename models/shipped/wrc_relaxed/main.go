// Command wrc_relaxed passes a value on through a second work-item, relaxed.
//
// Shape: write-to-read causality (WRC). Source: OpenCL 3.3.7.1.
//
// Derivation: relaxed operations synchronise with nobody (rule 3.1), so the third
// work-item may see y and not x: all 8 outcomes.
//
//clmc:expect verified
//clmc:outcomes 1:r0=0 2:r1=0 2:r2=0 | 1:r0=0 2:r1=0 2:r2=1 | 1:r0=0 2:r1=1 2:r2=0 | 1:r0=0 2:r1=1 2:r2=1
//clmc:outcomes 1:r0=1 2:r1=0 2:r2=0 | 1:r0=1 2:r1=0 2:r2=1 | 1:r0=1 2:r1=1 2:r2=0 | 1:r0=1 2:r1=1 2:r2=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
	case 1:
		cl.Observe("r0", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
	case 2:
		cl.Observe("r1", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed))
		cl.Observe("r2", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(3, 1))
	cl.Finish()
}
