// Command divergence_two_sites has all work-items reach a barrier, but not the
// same one.
//
// Idiom: a barrier in each branch of a condition. Source: OpenCL C 6.15.8.
//
// Derivation: all work-items of the group must meet the same barrier; two calls
// with equal arguments are two barriers (rule 11.1).
//
//clmc:expect violated CL1003
package main

import "github.com/clmc/clmc/models/cl"

func kernel() {
	if cl.GetLocalID(0) == 0 {
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	} else {
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 2))
	cl.Finish()
}
