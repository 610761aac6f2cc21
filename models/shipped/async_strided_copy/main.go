// Command async_strided_copy gathers a column of a matrix, and scatters another,
// under one event.
//
// Idiom: transposing by async_work_group_strided_copy. Source: OpenCL C 6.15.11.
//
// Derivation: elements are stride apart in global memory and next to each other in
// local memory. A copy that is given an event joins it, and the wait is for both
// (rule 11.7). They touch different columns: column 0 is read, column 1 written.
// If the second copy took its elements to column 0, the two, which are in no order,
// would race (rule 9.1). So they would with a stride of 3, for the last element that
// the first one reads is in column 1. A stride of 0 is not allowed, and one of 4 leads
// past the end of the matrix.
//
//clmc:expect verified
//clmc:expect -D column=0 violated CL1001
//clmc:expect -D stride=0 violated CL1008
//clmc:expect -D stride=3 violated CL1001
//clmc:expect -D stride=4 violated CL1005
package main

import "github.com/clmc/clmc/models/cl"

const (
	n      = 2
	column = 1
	stride = n
)

var matrix [n * n]int32

func kernel() {
	in := cl.Local[[n]int32]()
	out := cl.Local[[n]int32]()
	l := cl.GetLocalID(0)
	cl.Prefetch(matrix[:], n)
	out[l] = int32(l) + 7
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	e := cl.AsyncWorkGroupStridedCopy(in[:], matrix[:], n, stride, 0)
	e = cl.AsyncWorkGroupStridedCopy(matrix[column:], out[:], n, n, e)
	cl.WaitGroupEvents(e)
	cl.Assert(in[l] == int32(l)*n, "the column has been gathered")
}

func main() {
	for i := range n * n {
		matrix[i] = int32(i)
	}
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(n, n))
	cl.Finish()
	for i := range n {
		cl.Assert(matrix[i*n+1] == int32(i)+7, "the column has been scattered")
	}
}
