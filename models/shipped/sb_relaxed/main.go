// Command sb_relaxed lets two work-items each write one location and read the
// other's, all relaxed.
//
// Shape: store buffering (SB). Source: OpenCL 3.3.7.1.
//
// Derivation: no load is ordered after the other work-item's store, so each may
// return the initial value (rule 7.2), both at once too.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
		cl.Observe("r0", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed))
	case 1:
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
		cl.Observe("r1", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
