// Command two_plus_two_w_relaxed lets two work-items write two locations in
// opposite orders, relaxed.
//
// Shape: 2+2W. Source: OpenCL 3.3.7, "modification order".
//
// Derivation: modification orders of different locations are unrelated (rule 5.3),
// so either store of each location may be the last. The host reads the last one
// (rules 12.8, 7.6).
//
//clmc:expect verified
//clmc:outcomes x=1 y=1 | x=1 y=2 | x=2 y=1 | x=2 y=2
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&y, 2, cl.MemoryOrderRelaxed)
	case 1:
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&x, 2, cl.MemoryOrderRelaxed)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
	cl.Observe("x", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
	cl.Observe("y", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed))
}
