// Command kernel_dot_wrongflag is kernel_dot whose barrier names the wrong kind
// of memory.
//
// Idiom: CLK_GLOBAL_MEM_FENCE where the data are in local memory. Source:
// OpenCL C 6.15.8; OpenCL 3.3.7.3.
//
// Derivation: the barrier makes each entry fence global-synchronise with the
// other exit fences (rule 11.3), which orders global memory only (rule 5.5). In
// local-happens-before the write of a product and its read stay unordered: a
// data race (rule 9.1), although no read runs before the barrier (rule 11.4).
//
//clmc:expect violated CL1001
//clmc:expect spec=3.1 violated CL1001
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
	cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
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
