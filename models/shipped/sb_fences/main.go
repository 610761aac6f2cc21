// Command sb_fences is store buffering with relaxed operations and a seq_cst
// fence between those of each work-item.
//
// Shape: store buffering (SB). Source: OpenCL 3.3.7.1, rules for seq_cst fences.
//
// Derivation: one fence precedes the other in S. The store before the earlier
// fence must be observed by the load after the later one (rule 8.6), so not both
// loads read 0.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
//clmc:expect spec=popl16 verified
//clmc:outcomes 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice)
		cl.Observe("r0", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed))
	case 1:
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice)
		cl.Observe("r1", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
