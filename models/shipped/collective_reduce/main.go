// Command collective_reduce compares work_group_reduce_add with a sum written by
// hand.
//
// Idiom: a built-in reduction in place of a tree. Source: OpenCL C 6.15.16.
//
// Derivation: each work-item gets the sum of what all have passed (rule 11.6).
// The tree is that of reduce_tree: the barriers order its rounds (rule 11.3), and
// the one at its end orders the last write before the reads of the total, so
// that no access races (rule 9.1). Both are n(n+1)/2. The built-in needs no
// barrier: what it hands over are values.
//
//clmc:expect verified
//clmc:expect -D n=2 verified
//clmc:expect -D n=8 verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 4 // a power of two

var input [n]int32

func reduce() {
	tile := cl.Local[[n]int32]()
	l := cl.GetLocalID(0)
	tile[l] = input[l]
	for stride := n / 2; stride > 0; stride /= 2 {
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
		if l < stride {
			tile[l] += tile[l+stride]
		}
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	total := cl.WorkGroupReduceAdd(input[l])
	cl.Assert(total == tile[0], "both sums are the same")
	cl.Assert(total == n*(n+1)/2, "the sum is complete")
}

func main() {
	for i := range n {
		input[i] = int32(i) + 1
	}
	cl.EnqueueNDRangeKernel(reduce, cl.NDRange1D(n, n))
	cl.Finish()
}
