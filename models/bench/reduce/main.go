// Command reduce sums n values in local memory in log2(n) rounds.
//
// Derivation: the barrier between rounds orders the updates of one round before
// the reads of the next (rule 11.3); within a round no work-item touches what
// another writes.
//
//clmc:expect verified
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
