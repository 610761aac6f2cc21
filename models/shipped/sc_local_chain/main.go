// Command sc_local_chain hands global data on by way of a local flag and a work-item
// between that adds to the flag by a seq_cst operation.
//
// Shape: message passing through a third (ISA2) over one flag. Source: OpenCL 3.3.7.1,
// the sentence on pairs of seq_cst operations.
//
// Derivation: the first fence synchronises with the addition (rule 6.4), and the
// addition, whose release sequence the store of 5 continues, with the last fence (rule 6.5).
// All are seq_cst, so that both synchronise in global memory as well (rule 6.8), though
// the flag is local and the addition, in the published models, no global action.
// Happens-before is transitive, and the write of data comes before the read.
//
//clmc:expect verified
//clmc:expect spec=popl16 verified
//clmc:expect spec=popl16-scoped verified
package main

import "github.com/clmc/clmc/models/cl"

var data int32

func kernel() {
	flag := cl.Local[cl.AtomicInt]()
	id := cl.GetLocalID(0)
	if id == 0 {
		cl.AtomicInit(flag, 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	switch id {
	case 0:
		data = 1
		cl.AtomicWorkItemFence(cl.CLKLocalMemFence|cl.CLKGlobalMemFence, cl.MemoryOrderSeqCst, cl.MemoryScopeWorkGroup)
		cl.AtomicStoreExplicit(flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
	case 1:
		if cl.AtomicFetchAddExplicit(flag, 1, cl.MemoryOrderSeqCst, cl.MemoryScopeWorkGroup) == 1 {
			cl.AtomicStoreExplicit(flag, 5, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
		}
	case 2:
		if cl.AtomicLoadExplicit(flag, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup) == 5 {
			cl.AtomicWorkItemFence(cl.CLKLocalMemFence|cl.CLKGlobalMemFence, cl.MemoryOrderSeqCst, cl.MemoryScopeWorkGroup)
			cl.Assert(data == 1, "the data has been handed on")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(3, 3))
	cl.Finish()
}
