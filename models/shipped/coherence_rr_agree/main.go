// Command coherence_rr_agree has two readers watch two writers of one location:
// they agree on the order of the writes, even relaxed.
//
// Shape: CoRR with two writers. Source: OpenCL 3.3.7, "modification order".
//
// Derivation: there is one modification order for the location (rule 5.3), and
// neither reader goes back in it (rule 7.4). The host sees the results after
// clFinish (rule 12.8).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

var (
	x    cl.AtomicInt
	seen [2][2]int32
)

func kernel() {
	id := cl.GetGlobalID(0)
	switch id {
	case 0, 1:
		cl.AtomicStoreExplicit(&x, int32(id)+1, cl.MemoryOrderRelaxed)
	default:
		for i := range 2 {
			seen[id-2][i] = cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed)
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(4, 1))
	cl.Finish()
	apart := seen[0][0] == 1 && seen[0][1] == 2 && seen[1][0] == 2 && seen[1][1] == 1
	cl.Assert(!apart, "the readers agree")
}
