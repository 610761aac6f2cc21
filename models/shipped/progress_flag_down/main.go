// Command progress_flag_down has the lower work-group wait for what the higher one writes.
//
// Idiom: producer and consumer, against the order of ids. Source: OpenCL 3.2.2 (rule
// 11.8); docs/liveness.md.
//
// Derivation: work-group 1 need not start unless all are guaranteed. If only work-group 0
// has started, obe and lobe guarantee that one alone; and it is the lowest that can make a
// step, which is all that hsa adds. So every execution ends under fair only. Strong
// fairness changes nothing: what is not guaranteed has no chance.
//
//clmc:expect verified
//clmc:expect liveness=unfair violated CL1020
//clmc:expect liveness=hsa violated CL1020
//clmc:expect liveness=obe violated CL1020
//clmc:expect liveness=hsa_obe violated CL1020
//clmc:expect liveness=lobe violated CL1020
//clmc:expect liveness=fair verified
//clmc:expect liveness=hsa fairness=strong violated CL1020
//clmc:expect liveness=obe fairness=strong violated CL1020
//clmc:expect liveness=hsa_obe fairness=strong violated CL1020
//clmc:expect liveness=lobe fairness=strong violated CL1020
//clmc:expect liveness=fair fairness=strong verified
package main

import "github.com/clmc/clmc/models/cl"

var (
	flag cl.AtomicInt
	data int32
)

func k() {
	if cl.GetGroupID(0) == 1 {
		data = 7
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		return
	}
	for cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0 {
	}
	cl.Assert(data == 7, "what was written before the flag")
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
