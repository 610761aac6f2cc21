// Command reduce_tree_lockstep is reduce_tree without barriers in its last
// rounds, trusting the work-items of a sub-group to run in lockstep.
//
// Idiom: "warp-synchronous" reduction. Source: OpenCL 3.2.2, 3.3.7.4.
//
// Derivation: nothing in OpenCL orders the work-items of a sub-group without a
// barrier: the last rounds race (rule 9.1). A sub_group_barrier with the local flag
// is enough, since the partners of a round lie in one sub-group of four (rule
// 11.5).
//
//clmc:expect violated CL1001
//clmc:expect -D subGroupBarrier=true verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n               = 8
	subGroupBarrier = false
)

var (
	input  [n]int32
	result int32
)

func reduce() {
	tile := cl.Local[[n]int32]()
	l := cl.GetLocalID(0)
	tile[l] = input[l]
	for stride := n / 2; stride > 0; stride /= 2 {
		if stride >= 4 { // the partners are in different sub-groups
			cl.WorkGroupBarrier(cl.CLKLocalMemFence)
		} else if subGroupBarrier {
			cl.SubGroupBarrier(cl.CLKLocalMemFence)
		}
		if l < stride {
			tile[l] += tile[l+stride]
		}
	}
	if l == 0 {
		result = tile[0]
	}
}

func main() {
	for i := range n {
		input[i] = int32(i) + 1
	}
	cl.EnqueueNDRangeKernel(reduce, cl.NDRange1D(n, n))
	cl.Finish()
	cl.Assert(result == n*(n+1)/2, "the sum is complete")
}
