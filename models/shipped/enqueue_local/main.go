// Command enqueue_local gives a child local memory by size.
//
// Idiom: local arguments of a block. Source: OpenCL C 6.15.18.
//
// Derivation: each work-group of a child has local memory of its own for each
// argument (rule 12.20), uninitialised (1.4). Work-items hand values over through it
// with a barrier for local memory (11.3). A work-item that reads an element that
// nobody writes finds nothing, CL1002.
//
//clmc:expect verified
//clmc:expect -D initialise=false violated CL1002
package main

import "github.com/clmc/clmc/models/cl"

const initialise = true

func parent() {
	cl.EnqueueKernelLocal(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(4, 2), func(a []int32) {
		me := cl.GetLocalID(0)
		if initialise {
			a[me] = int32(10*cl.GetGroupID(0) + me)
		}
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
		cl.Assert(a[1-me] == int32(10*cl.GetGroupID(0)+1-me), "the value of the other one of the group")
	}, 2)
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	cl.Finish()
}
