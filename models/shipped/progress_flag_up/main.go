// Command progress_flag_up has the higher work-group wait for what the lower one writes.
//
// Idiom: producer and consumer, in the order of ids. Source: OpenCL 3.2.2 (rule 11.8);
// docs/liveness.md.
//
// Derivation: work-group 0 waits for nobody. Under hsa it is the lowest that can make a
// step until it ends; so it writes the flag, and memory is fair: work-group 1 reads that
// some time (rule 7.9). hsa_obe and fair promise that, too, and lobe since work-group 1,
// which waits, has started and is higher. Under obe work-group 0 need never start, and
// under unfair it need not go on.
//
//clmc:expect verified
//clmc:expect liveness=unfair violated CL1020
//clmc:expect liveness=hsa verified
//clmc:expect liveness=obe violated CL1020
//clmc:expect liveness=hsa_obe verified
//clmc:expect liveness=lobe verified
//clmc:expect liveness=fair verified
//clmc:expect liveness=hsa fairness=strong verified
//clmc:expect liveness=obe fairness=strong violated CL1020
//clmc:expect liveness=hsa_obe fairness=strong verified
//clmc:expect liveness=lobe fairness=strong verified
//clmc:expect liveness=fair fairness=strong verified
package main

import "github.com/clmc/clmc/models/cl"

var (
	flag cl.AtomicInt
	data int32
)

func k() {
	if cl.GetGroupID(0) == 0 {
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
