// Command kernel_dot multiplies two vectors: each work-item multiplies one pair
// of elements into local memory, and the first adds up the products.
//
// Idiom: work_group_barrier between producing and consuming local memory, the
// textbook example of the built-in. Source: OpenCL C 6.15.8.
//
// Derivation: the barrier has CLK_LOCAL_MEM_FENCE, so the write of each product
// happens before the sum reads it (rule 11.3). No two work-items write one
// location (rule 9.1). The host reads the result after clFinish (rule 12.8).
//
//clmc:expect verified
//clmc:expect -D n=16 verified
//clmc:expect spec=popl16 verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 4

var (
	a, b   [n]int32
	result int32
)

func kernelDot() {
	products := cl.Local[[n]int32]()
	i := cl.GetLocalID(0)
	products[i] = a[i] * b[i]
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	if i == 0 {
		sum := int32(0)
		for j := range n {
			sum += products[j]
		}
		result = sum
	}
}

func main() {
	want := int32(0)
	for i := range n {
		a[i] = int32(i) + 1
		b[i] = int32(i) + 2
		want += (int32(i) + 1) * (int32(i) + 2)
	}
	cl.EnqueueNDRangeKernel(kernelDot, cl.NDRange1D(n, n))
	cl.Finish()
	cl.Assert(result == want, "the result is the dot product")
}
