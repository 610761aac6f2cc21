// Command async_copy_back stores a tile from local to global memory by
// async_work_group_copy.
//
// Idiom: compute, barrier, store. Source: OpenCL C 6.15.11.
//
// Derivation: the call does not wait for what the work-items have written to the
// source (rule 11.7): without a barrier the copy may be made by a work-item that
// another's write does not happen before, and races with it (rule 9.1). A barrier
// with the flag of local memory orders all writes before all calls (rule 11.3); one
// with the other flag does not. A group of one needs none: its write comes before
// its call (rule 5.1). The host reads after the kernel, all of whose operations
// come before clFinish returns (rules 12.8, 12.9); the wait is needed all the same.
//
//clmc:expect verified
//clmc:expect -D barrier=0 violated CL1001
//clmc:expect -D barrier=2 violated CL1001
//clmc:expect -D barrier=0 -D n=1 verified
//clmc:expect -D wait=false violated CL1015
package main

import "github.com/clmc/clmc/models/cl"

const (
	n       = 2
	barrier = 1
	wait    = true
)

var result [2 * n]int32

func kernel() {
	tile := cl.Local[[n]int32]()
	l := cl.GetLocalID(0)
	tile[l] = int32(cl.GetGlobalID(0))
	switch barrier {
	case 1:
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	case 2:
		cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	}
	from := cl.GetGroupID(0) * n
	e := cl.AsyncWorkGroupCopy(result[from:from+n], tile[:], n, 0)
	if wait {
		cl.WaitGroupEvents(e)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2*n, n))
	cl.Finish()
	for i := range 2 * n {
		cl.Assert(result[i] == int32(i), "the result is complete")
	}
}
