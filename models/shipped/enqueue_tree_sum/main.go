// Command enqueue_tree_sum adds up an array by kernels that enqueue themselves:
// each splits its range in two, and a continuation that waits for both children
// adds up their sums.
//
// Idiom: recursive enqueue, continuation by events. Source: OpenCL 3.2.3, 3.3.7.5.
//
// Derivation: a child completes only after all of its descendants (rule 12.15),
// its continuation among them, and has then seen what they did; its event
// synchronises with the continuation of its parent (12.2, 12.3). So each
// continuation reads finished sums, and the host reads the sum of 1 to n
// after clFinish (12.8). A continuation that does not wait races with the
// children (9.1).
//
//clmc:expect -D n=2 verified
//clmc:expect verified
//clmc:expect -D wait=false violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const (
	n    = 4
	wait = true
)

var (
	in  [n]int32
	sum [2 * n]int32 // of the ranges, as a heap: node i has the children 2i and 2i+1
)

func add(node, from, size int) {
	if size == 1 {
		sum[node] = in[from]
		return
	}
	q, one := cl.GetDefaultQueue(), cl.NDRange1D(1, 1)
	half := size / 2
	var left, right cl.ClkEvent
	cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, nil, &left, func() { add(2*node, from, half) })
	cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, nil, &right, func() { add(2*node+1, from+half, half) })
	join := func() { sum[node] = sum[2*node] + sum[2*node+1] }
	if wait {
		cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, []cl.ClkEvent{left, right}, nil, join)
	} else {
		cl.EnqueueKernel(q, cl.CLKEnqueueFlagsNoWait, one, join)
	}
	cl.ReleaseEvent(left)
	cl.ReleaseEvent(right)
}

func main() {
	for i := range n {
		in[i] = int32(i + 1)
	}
	cl.EnqueueNDRangeKernel(func() { add(1, 0, n) }, cl.NDRange1D(1, 1))
	cl.Finish()
	cl.Assert(sum[1] == n*(n+1)/2, "the sum is right")
}
