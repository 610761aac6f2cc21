// Command lb_relaxed lets two work-items each read one location and then write
// the other, all relaxed.
//
// Shape: load buffering (LB). Source: OpenCL 3.3.7.1.
//
// Derivation: no rule forbids that both loads read 1 (rule 7.2: neither store happens
// before the load in its own work-item). In the execution without load buffering,
// which is all that a machine without promises performs, the load that comes first
// reads 0. So the set below is the specification's without r0 = r1 = 1: "verified"
// means verified for executions without load buffering.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.Observe("r0", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
	case 1:
		cl.Observe("r1", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed))
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
