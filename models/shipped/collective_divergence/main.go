// Command collective_divergence calls collective functions in each of the ways
// that OpenCL leaves undefined.
//
// Idiom: a collective under a condition. Source: OpenCL C 6.15.16, 6.15.19;
// OpenCL 3.3.7.3.
//
// Derivation: all work-items of the group must execute the same call, in the
// same iteration (rules 11.1, 11.6); local_id must be the same for all, and that
// of a work-item of the group (rule 11.6). how = 0: work-item 0 returns early; 1:
// the two branches have calls of their own; 2: work-item i calls in iteration i;
// 3: each broadcasts from itself; 4: the group has no work-item 2, which is an
// invalid argument; 5: one of a sub-group of two stays away; 6: work-item 0 waits
// at a barrier, the other at a collective. 7: only one of two sub-groups of one
// work-item comes to a call of the sub-group, which is all of it.
//
//clmc:expect -D how=0 violated CL1003
//clmc:expect -D how=1 violated CL1003
//clmc:expect -D how=2 violated CL1003
//clmc:expect -D how=3 violated CL1003
//clmc:expect -D how=4 violated CL1008
//clmc:expect -D how=5 violated CL1003
//clmc:expect -D how=6 violated CL1003
//clmc:expect -D how=7 -D size=1 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	how  = 0
	size = 2
)

//cl:sub_group_size size

func kernel() {
	l := cl.GetLocalID(0)
	switch how {
	case 0:
		if l == 0 {
			return
		}
		cl.WorkGroupAll(true)
	case 1:
		if l == 0 {
			cl.WorkGroupScanInclusiveAdd(int32(1))
		} else {
			cl.WorkGroupScanInclusiveAdd(int32(1))
		}
	case 2:
		for i := range 2 {
			if i == l {
				cl.WorkGroupReduceMax(int32(i))
			}
		}
	case 3:
		cl.WorkGroupBroadcast(int32(l), l)
	case 4:
		cl.WorkGroupBroadcast(int32(l), 2)
	case 5, 7:
		if l == 0 {
			cl.SubGroupAny(true)
		}
	case 6:
		if l == 0 {
			cl.WorkGroupBarrier(cl.CLKLocalMemFence)
		} else {
			cl.WorkGroupAny(true)
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 2))
	cl.Finish()
}
