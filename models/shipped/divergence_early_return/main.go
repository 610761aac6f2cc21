// Command divergence_early_return has the work-items beyond the end of the data
// return before the barrier.
//
// Idiom: a guard on the global id at the top of a kernel with a barrier. Source:
// OpenCL C 6.15.8.
//
// Derivation: the work-items of the last group that return never reach the
// barrier that the others wait at (rule 11.1). With data for every work-item none
// returns early.
//
//clmc:expect violated CL1003
//clmc:expect -D size=4 verified
package main

import "github.com/clmc/clmc/models/cl"

const size = 3

var out [4]int32

func kernel() {
	tile := cl.Local[[2]int32]()
	i, l := cl.GetGlobalID(0), cl.GetLocalID(0)
	if i >= size {
		return
	}
	tile[l] = int32(i)
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	out[i] = tile[1-l]
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(4, 2))
	cl.Finish()
}
