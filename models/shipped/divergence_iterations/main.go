// Command divergence_iterations has all work-items reach the same barrier once,
// but in different iterations of a loop.
//
// Idiom: a barrier in a loop under a condition on the counter. Source: OpenCL C
// 6.15.8.
//
// Derivation: a barrier in a loop must be reached in each iteration by all
// work-items of the group before any goes on (rule 11.1); work-item 0 reaches it in
// iteration 0 and work-item 1 in iteration 1.
//
//clmc:expect violated CL1003
package main

import "github.com/clmc/clmc/models/cl"

func kernel() {
	for i := range 2 {
		if i == cl.GetLocalID(0) {
			cl.WorkGroupBarrier(cl.CLKLocalMemFence)
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 2))
	cl.Finish()
}
