// Command iriw_fences is IRIW with relaxed operations and seq_cst fences between
// the loads: too weak in OpenCL.
//
// Shape: independent reads of independent writes (IRIW). Source: OpenCL 3.3.7.1,
// rules for seq_cst fences.
//
// Derivation: rule 8.6 needs a fence after each write in the writer, and there is
// none; rules 8.4 and 8.5 need seq_cst accesses. So all 16 outcomes are allowed
// (rule 8.9: the stronger fences of C++20 are not OpenCL's).
//
//clmc:expect verified
//clmc:outcomes 2:r0=0 2:r1=0 3:r2=0 3:r3=0 | 2:r0=0 2:r1=0 3:r2=0 3:r3=1 | 2:r0=0 2:r1=0 3:r2=1 3:r3=0 | 2:r0=0 2:r1=0 3:r2=1 3:r3=1
//clmc:outcomes 2:r0=0 2:r1=1 3:r2=0 3:r3=0 | 2:r0=0 2:r1=1 3:r2=0 3:r3=1 | 2:r0=0 2:r1=1 3:r2=1 3:r3=0 | 2:r0=0 2:r1=1 3:r2=1 3:r3=1
//clmc:outcomes 2:r0=1 2:r1=0 3:r2=0 3:r3=0 | 2:r0=1 2:r1=0 3:r2=0 3:r3=1 | 2:r0=1 2:r1=0 3:r2=1 3:r3=0 | 2:r0=1 2:r1=0 3:r2=1 3:r3=1
//clmc:outcomes 2:r0=1 2:r1=1 3:r2=0 3:r3=0 | 2:r0=1 2:r1=1 3:r2=0 3:r3=1 | 2:r0=1 2:r1=1 3:r2=1 3:r3=0 | 2:r0=1 2:r1=1 3:r2=1 3:r3=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
	case 1:
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
	case 2:
		cl.Observe("r0", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice)
		cl.Observe("r1", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed))
	case 3:
		cl.Observe("r2", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed))
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice)
		cl.Observe("r3", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(4, 1))
	cl.Finish()
}
