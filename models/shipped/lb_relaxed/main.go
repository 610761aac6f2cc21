// Command lb_relaxed lets two work-items each read one location and then write
// the other, all relaxed.
//
// Shape: load buffering (LB). Source: OpenCL 3.3.7.1; Kang et al., "A promising
// semantics for relaxed-memory concurrency" (POPL 2017), section 1, example LB.
//
// Derivation: no rule forbids that both loads read 1 (rule 7.2: neither store happens
// before the load in its own work-item), and each work-item performs its store
// whatever it reads, so either can promise it (rule 7.8 is kept). In the executions
// of program order, which are all with --promises 0, the load that comes first reads 0.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
//clmc:expect promises=0 verified
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
