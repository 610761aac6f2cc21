// Command dot multiplies two vectors of n elements, with a reduction in local
// memory.
//
// Derivation: as reduce (rule 11.3).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 8 // a power of two

var (
	a, b   [n]int32
	result int32
)

func dot() {
	tile := cl.Local[[n]int32]()
	l := cl.GetLocalID(0)
	tile[l] = a[l] * b[l]
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
		a[i] = int32(i) + 1
		b[i] = 2
	}
	cl.EnqueueNDRangeKernel(dot, cl.NDRange1D(n, n))
	cl.Finish()
	cl.Assert(result == n*(n+1), "the sum is complete")
}
