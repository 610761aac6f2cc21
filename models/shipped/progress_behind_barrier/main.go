// Command progress_behind_barrier has a work-item wait, before a barrier, for what another
// one writes behind it.
//
// Idiom: a wait on the wrong side of a barrier. Source: OpenCL C 6.15.8 (barriers);
// docs/liveness.md.
//
// Derivation: work-item 1 comes to the barrier and stays there until work-item 0 does
// (rule 11.4), which waits for what work-item 1 writes later. No scheduler helps.
//
//clmc:expect violated CL1011
//clmc:expect liveness=fair violated CL1011
//clmc:expect liveness=gpu violated CL1011
package main

import "github.com/clmc/clmc/models/cl"

var flag cl.AtomicInt

func k() {
	first := cl.GetLocalID(0) == 0
	if first {
		for cl.AtomicLoad(&flag) == 0 {
		}
	}
	cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	if !first {
		cl.AtomicStore(&flag, 1)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 2))
	cl.Finish()
}
