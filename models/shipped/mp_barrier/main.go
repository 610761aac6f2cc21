// Command mp_barrier hands global data over within a work-group by a barrier.
//
// Idiom: work_group_barrier(CLK_GLOBAL_MEM_FENCE), and the same with the local
// flag by mistake. Source: OpenCL 3.3.7.3.
//
// Derivation: with the global flag the barrier orders global memory (rule
// 11.3). With the local flag alone it does not (rule 11.4), and data is raced
// for (rule 9.1).
//
//clmc:expect verified
//clmc:expect -D global=false violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const global = true

var data int32

func mp() {
	id := cl.GetLocalID(0)
	if id == 0 {
		data = 42
	}
	if global {
		cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	} else {
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	}
	if id == 1 {
		cl.Assert(data == 42, "the value arrived")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 2))
	cl.Finish()
}
