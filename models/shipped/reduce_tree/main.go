// Command reduce_tree sums n values in local memory in log2(n) rounds.
//
// Idiom: work-group tree reduction. Source: OpenCL C 6.15.8.
//
// Derivation: in each round, a work-item below the stride reads an element at or
// above the stride and updates its own; the barrier between rounds orders the
// updates of one round before the reads of the next (rule 11.3). All work-items
// meet every barrier, the stride being the same for all (rule 11.1).
//
//clmc:expect verified
//clmc:expect -D n=4 verified
//clmc:expect -D n=16 verified
//clmc:expect -D n=32 verified
//clmc:expect -D n=64 verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 8 // a power of two

var (
	input  [n]int32
	result int32
)

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
