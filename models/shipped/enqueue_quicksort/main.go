// Command enqueue_quicksort sorts an array by kernels that partition a range and
// enqueue themselves for the two parts.
//
// Idiom: recursive enqueue on disjoint ranges. Source: OpenCL 3.2.3, 3.3.7.5.
//
// Derivation: with WAIT_KERNEL the children see the partition that their parent
// made (rule 12.12), and touch disjoint parts of the array; the host reads it
// when all have completed (12.8, 12.15). With NO_WAIT a child races with its
// parent's writes, for the array is coarse-grained (12.1).
//
//clmc:expect verified
//clmc:expect -D flags=0 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const (
	n     = 3
	flags = cl.CLKEnqueueFlagsWaitKernel
)

var a [n]int32

func sort(from, to int) {
	if to-from < 2 {
		return
	}
	pivot, at := a[to-1], from
	for i := from; i < to-1; i++ {
		if a[i] < pivot {
			a[i], a[at] = a[at], a[i]
			at++
		}
	}
	a[to-1], a[at] = a[at], pivot
	q, one := cl.GetDefaultQueue(), cl.NDRange1D(1, 1)
	cl.EnqueueKernel(q, flags, one, func() { sort(from, at) })
	cl.EnqueueKernel(q, flags, one, func() { sort(at+1, to) })
}

func main() {
	for i := range n {
		a[i] = int32(cl.Choose(3))
	}
	cl.EnqueueNDRangeKernel(func() { sort(0, n) }, cl.NDRange1D(1, 1))
	cl.Finish()
	for i := range n - 1 {
		cl.Assert(a[i] <= a[i+1], "the array is sorted")
	}
}
