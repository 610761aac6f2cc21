// Command seq_cst_hidden_store looks by a seq_cst load for what a store that is not
// seq_cst has written before a seq_cst one of the same work-item.
//
// Shape: store buffering (SB) with a second store in front. Source: OpenCL 3.3.7.1, the
// rule on seq_cst loads.
//
// Derivation: if work-item 0 finds z zero, its load of z precedes the store to z in S
// (rule 8.3), and with it does x=2, which is sequenced before that load (rule 8.2).
// So x=2 is the last seq_cst write of x before the other's load, which returns it, or a
// write that does not happen before it (rule 8.3). x=1 does. So never do both
// work-items come to write d, and there is no race, although x=1 is still there to be read
// by a load of any other order.
//
//clmc:expect verified
//clmc:expect spec=popl16 verified
package main

import "github.com/clmc/clmc/models/cl"

var (
	x, z cl.AtomicInt
	d    int32
)

func kernel() {
	if cl.GetGlobalID(0) == 0 {
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.AtomicStore(&x, 2)
		if cl.AtomicLoad(&z) == 0 {
			d = 1
		}
	} else {
		cl.AtomicStore(&z, 1)
		if cl.AtomicLoad(&x) == 1 {
			d = 2
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
