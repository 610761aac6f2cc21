// Command divergence_conditional puts a barrier under a condition that not all
// work-items of the group share.
//
// Idiom: barrier divergence. Source: OpenCL C 6.15.8.
//
// Derivation: work-item 0 waits at the barrier and work-item 1 ends without
// reaching it (rule 11.1). A condition on the group's id is the same for the whole
// group, and allowed.
//
//clmc:expect violated CL1003
//clmc:expect -D uniform=true verified
package main

import "github.com/clmc/clmc/models/cl"

const uniform = false

func kernel() {
	which := cl.GetLocalID(0)
	if uniform {
		which = cl.GetGroupID(0)
	}
	if which == 0 {
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(4, 2))
	cl.Finish()
}
