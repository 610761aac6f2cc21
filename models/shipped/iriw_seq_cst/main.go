// Command iriw_seq_cst has two readers look at two independent writes, all
// seq_cst: they agree on the order of the writes.
//
// Shape: independent reads of independent writes (IRIW). Source: OpenCL 3.3.7.1.
//
// Derivation: a reader that reads 1 and then 0 puts the write that it saw before
// its second load (rules 8.2, 8.3), and that load before the other write (rule
// 8.3), in S. If both readers do so, S has a cycle.
//
//clmc:expect verified
//clmc:outcomes 2:r0=0 2:r1=0 3:r2=0 3:r3=0 | 2:r0=0 2:r1=0 3:r2=0 3:r3=1 | 2:r0=0 2:r1=0 3:r2=1 3:r3=0 | 2:r0=0 2:r1=0 3:r2=1 3:r3=1
//clmc:outcomes 2:r0=0 2:r1=1 3:r2=0 3:r3=0 | 2:r0=0 2:r1=1 3:r2=0 3:r3=1 | 2:r0=0 2:r1=1 3:r2=1 3:r3=0 | 2:r0=0 2:r1=1 3:r2=1 3:r3=1
//clmc:outcomes 2:r0=1 2:r1=0 3:r2=0 3:r3=0 | 2:r0=1 2:r1=0 3:r2=0 3:r3=1 | 2:r0=1 2:r1=0 3:r2=1 3:r3=1 | 2:r0=1 2:r1=1 3:r2=0 3:r3=0
//clmc:outcomes 2:r0=1 2:r1=1 3:r2=0 3:r3=1 | 2:r0=1 2:r1=1 3:r2=1 3:r3=0 | 2:r0=1 2:r1=1 3:r2=1 3:r3=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderSeqCst)
	case 1:
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderSeqCst)
	case 2:
		cl.Observe("r0", cl.AtomicLoadExplicit(&x, cl.MemoryOrderSeqCst))
		cl.Observe("r1", cl.AtomicLoadExplicit(&y, cl.MemoryOrderSeqCst))
	case 3:
		cl.Observe("r2", cl.AtomicLoadExplicit(&y, cl.MemoryOrderSeqCst))
		cl.Observe("r3", cl.AtomicLoadExplicit(&x, cl.MemoryOrderSeqCst))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(4, 1))
	cl.Finish()
}
