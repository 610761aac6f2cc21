// Command scan computes the sums of all prefixes of n values in local memory,
// by Blelloch's up-sweep and down-sweep.
//
// Derivation: as reduce; each level of the tree is between two barriers (rule
// 11.3), and its work-items touch different pairs of elements.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 8 // a power of two

var input, output [n]int32

func scan() {
	tile := cl.Local[[n]int32]()
	l := cl.GetLocalID(0)
	tile[l] = input[l]
	for d := 1; d < n; d *= 2 {
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
		if i := (l+1)*d*2 - 1; i < n {
			tile[i] += tile[i-d]
		}
	}
	if l == 0 {
		tile[n-1] = 0
	}
	for d := n / 2; d > 0; d /= 2 {
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
		if i := (l+1)*d*2 - 1; i < n {
			t := tile[i-d]
			tile[i-d] = tile[i]
			tile[i] += t
		}
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	output[l] = tile[l]
}

func main() {
	for i := range n {
		input[i] = int32(i) + 1
	}
	cl.EnqueueNDRangeKernel(scan, cl.NDRange1D(n, n))
	cl.Finish()
	for i := range n {
		cl.Assert(int(output[i]) == i*(i+1)/2, "each element is the sum of those before")
	}
}
