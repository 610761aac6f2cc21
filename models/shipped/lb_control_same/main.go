// Command lb_control_same is load buffering in which one store is the same in both
// branches of a condition on the load before it.
//
// Shape: LB with a control dependency that is none. Source: OpenCL 3.3.7.1; Kang et
// al., POPL 2017, section 2: a promise is certified whichever way it is kept.
//
// Derivation: work-item 0 stores 1 to y whatever it loads, so it can promise that store (rule 7.8),
// as a compiler may move it out of the branches. Work-item 1 hands on what it loads:
// if r1 = 1 then x = 1, which work-item 0 may load or not; if r1 = 0, x stays 0.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=1
//clmc:expect promises=0 verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed)
		if r == 1 {
			cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
		} else {
			cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
		}
		cl.Observe("r0", r)
	case 1:
		r := cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&x, r, cl.MemoryOrderRelaxed)
		cl.Observe("r1", r)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
