// Command uninitialised_local reads local memory that nobody has written.
//
// Idiom: taking __local memory for zeroed. Source: OpenCL C 6.7.3.
//
// Derivation: nothing initialises local memory (rule 1.4); each work-item writes
// its own element, and the last reads one past it.
//
//clmc:expect violated CL1002
package main

import "github.com/clmc/clmc/models/cl"

const n = 2

var out [n]int32

func shift() {
	tile := cl.Local[[n + 1]int32]()
	i := cl.GetLocalID(0)
	tile[i] = int32(i)
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	out[i] = tile[i+1]
}

func main() {
	cl.EnqueueNDRangeKernel(shift, cl.NDRange1D(n, n))
	cl.Finish()
}
