// Command sb_seq_cst is store buffering with seq_cst operations: somebody's
// store comes first, and the other sees it.
//
// Shape: store buffering (SB). Source: OpenCL 3.3.7.1.
//
// Derivation: S orders each store before the load that follows it (rule 8.2). If
// both loads read 0, each comes before the other work-item's store in S (rule 8.3):
// a cycle. The scopes are device and the memory is coarse, so S exists in every
// version (rule 8.1).
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
//clmc:expect spec=2.0 verified
//clmc:outcomes 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
//clmc:expect spec=popl16 verified
//clmc:outcomes 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
//clmc:expect spec=popl16-scoped verified
//clmc:outcomes 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderSeqCst)
		cl.Observe("r0", cl.AtomicLoadExplicit(&y, cl.MemoryOrderSeqCst))
	case 1:
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderSeqCst)
		cl.Observe("r1", cl.AtomicLoadExplicit(&x, cl.MemoryOrderSeqCst))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
