// Command sb_one_fence is store buffering with a seq_cst fence in one work-item
// and seq_cst operations in the other.
//
// Shape: store buffering (SB). Source: OpenCL 3.3.7.1, rules for seq_cst fences.
//
// Derivation: that both loads read 0 would need the fence before the store of y in
// S (rule 8.4), and the load of x before the fence (rule 8.5: a store, then the
// fence, then in S the load must see the store). With the store of y before the
// load of x in S (rule 8.2) that is a cycle.
//
//clmc:expect verified
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
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderSeqCst)
		cl.Observe("r1", cl.AtomicLoadExplicit(&x, cl.MemoryOrderSeqCst))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
