// Command two_plus_two_w_seq_cst lets two work-items write two locations in
// opposite orders, seq_cst.
//
// Shape: 2+2W. Source: OpenCL 3.3.7.1.
//
// Derivation: S contains all four stores in program order (rule 8.2) and agrees
// with both modification orders (rule 8.2). If each work-item's first store came last
// in its location, S would have a cycle; so not both x and y end as 1.
//
//clmc:expect verified
//clmc:outcomes x=1 y=2 | x=2 y=1 | x=2 y=2
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderSeqCst)
		cl.AtomicStoreExplicit(&y, 2, cl.MemoryOrderSeqCst)
	case 1:
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderSeqCst)
		cl.AtomicStoreExplicit(&x, 2, cl.MemoryOrderSeqCst)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
	cl.Observe("x", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
	cl.Observe("y", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed))
}
