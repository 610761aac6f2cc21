// Command wrc_release_acquire passes a value on through a second work-item that
// releases what it has seen.
//
// Shape: write-to-read causality (WRC). Source: OpenCL 3.3.7, coherence.
//
// Derivation: if r0 = r1 = 1, the second work-item's read of x happens before the
// third's (rules 6.1, 5.5), which must not read an older value (rule 7.4), although
// x is written relaxed.
//
//clmc:expect verified
//clmc:outcomes 1:r0=0 2:r1=0 2:r2=0 | 1:r0=0 2:r1=0 2:r2=1 | 1:r0=0 2:r1=1 2:r2=0 | 1:r0=0 2:r1=1 2:r2=1
//clmc:outcomes 1:r0=1 2:r1=0 2:r2=0 | 1:r0=1 2:r1=0 2:r2=1 | 1:r0=1 2:r1=1 2:r2=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
	case 1:
		cl.Observe("r0", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelease)
	case 2:
		cl.Observe("r1", cl.AtomicLoadExplicit(&y, cl.MemoryOrderAcquire))
		cl.Observe("r2", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(3, 1))
	cl.Finish()
}
