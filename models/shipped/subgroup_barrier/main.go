// Command subgroup_barrier exchanges data between neighbours, with a barrier of
// the sub-group.
//
// Idiom: neighbours of one sub-group. Source: OpenCL C 6.15.8, OpenCL 3.3.7.4.
//
// Derivation: the barrier orders the writes before it and the reads after it of
// the work-items of one sub-group, in the memory of its flags (rules 11.3, 11.5):
// that is enough for pairs in sub-groups of two or four, not for the next
// work-item in the group, of which one pair always lies in two sub-groups of two
// (rule 9.1).
//
//clmc:expect verified
//clmc:expect -D size=4 verified
//clmc:expect -D size=1 violated CL1001
//clmc:expect -D pairs=false violated CL1001
//clmc:expect -D pairs=false -D size=4 verified
//clmc:expect -D global=true violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const (
	n      = 4
	size   = 2
	pairs  = true
	global = false // the barrier has the flag of global memory, and the data is local
)

//cl:sub_group_size size

func kernel() {
	tile := cl.Local[[n]int32]()
	l := cl.GetLocalID(0)
	tile[l] = int32(l)
	if global {
		cl.SubGroupBarrier(cl.CLKGlobalMemFence)
	} else {
		cl.SubGroupBarrier(cl.CLKLocalMemFence)
	}
	other := l ^ 1
	if !pairs {
		other = (l + 1) % n
	}
	cl.Assert(tile[other] == int32(other), "the value arrived")
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(n, n))
	cl.Finish()
}
