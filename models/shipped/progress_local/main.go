// Command progress_local has a work-item wait for a flag in local memory.
//
// Idiom: a flag within a work-group. Source: OpenCL 3.2.2 (rule 11.8); docs/liveness.md.
//
// Derivation: the one that sets the flag is of the same work-group, whose work-items are
// fair unless the question says otherwise: so it ends under every model of work-groups.
// Both have started when they leave the barrier: obe and lobe among the work-items are
// enough. Under hsa the lower one, which waits, is served alone; unfair promises nothing,
// so that it is not enough among the work-items of a sub-group either (gpu-lockstep,
// opencl).
//
//clmc:expect verified
//clmc:expect liveness=unfair verified
//clmc:expect liveness=hsa verified
//clmc:expect liveness=obe verified
//clmc:expect liveness=hsa_obe verified
//clmc:expect liveness=lobe verified
//clmc:expect liveness=fair verified
//clmc:expect liveness=hsa fairness=strong verified
//clmc:expect liveness=obe fairness=strong verified
//clmc:expect liveness=hsa_obe fairness=strong verified
//clmc:expect liveness=lobe fairness=strong verified
//clmc:expect liveness=fair fairness=strong verified
//clmc:expect liveness=gpu verified
//clmc:expect liveness=gpu-lockstep violated CL1020
//clmc:expect liveness=opencl violated CL1020
//clmc:expect liveness=device=fair,group=unfair violated CL1020
//clmc:expect liveness=device=fair,group=hsa violated CL1020
//clmc:expect liveness=device=fair,group=obe verified
//clmc:expect liveness=device=fair,group=lobe verified
package main

import "github.com/clmc/clmc/models/cl"

func k() {
	flag := cl.Local[cl.AtomicInt]()
	first := cl.GetLocalID(0) == 0
	if first {
		cl.AtomicInit(flag, 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	if !first {
		cl.AtomicStoreExplicit(flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
		return
	}
	for cl.AtomicLoadExplicit(flag, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup) == 0 {
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 2))
	cl.Finish()
}
