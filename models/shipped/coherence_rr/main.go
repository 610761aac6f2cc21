// Command coherence_rr reads a location twice while another work-item writes it.
//
// Shape: CoRR. Source: OpenCL 3.3.7, read-read coherence.
//
// Derivation: the second load must not read an older value than the first (rule
// 7.4): all but 1 then 0.
//
//clmc:expect verified
//clmc:outcomes 1:r0=0 1:r1=0 | 1:r0=0 1:r1=1 | 1:r0=1 1:r1=1
package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
	case 1:
		cl.Observe("r0", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
		cl.Observe("r1", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
