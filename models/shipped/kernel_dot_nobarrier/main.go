// Command kernel_dot_nobarrier is kernel_dot with its barrier forgotten.
//
// Idiom: a missing work_group_barrier. Source: OpenCL C 6.15.8.
//
// Derivation: nothing orders the write of a product by its work-item and the
// read by work-item 0; one of them writes and neither is atomic: a data race
// (rule 9.1). An execution in which the read comes first also reads local
// memory that nothing has written (rule 1.4).
//
//clmc:expect violated CL1001 CL1002
package main

import "github.com/clmc/clmc/models/cl"

const n = 2

var (
	a, b   [n]int32
	result int32
)

func kernelDot() {
	products := cl.Local[[n]int32]()
	i := cl.GetLocalID(0)
	products[i] = a[i] * b[i]
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
