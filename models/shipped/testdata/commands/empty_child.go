// Command empty_child has a child without work-items that waits for its parent, and another child that waits for it.
//
// Derivation: rule 12.12: with WAIT_KERNEL the end of all work-items of the parent
// comes before the empty child, hence (12.2, 12.3) before the other; with
// WAIT_WORK_GROUP the end of those of the work-group, here all; with NO_WAIT nothing
// does, and the other child races with the second work-item.
//
//clmc:expect verified
//clmc:expect -D flags=2 verified
//clmc:expect -D flags=2 -D group=1 violated CL1001
//clmc:expect -D flags=0 violated CL1001
//clmc:expect spec=2.0 violated CL1008
package main

import "github.com/clmc/clmc/models/cl"

const (
	flags = cl.CLKEnqueueFlagsWaitKernel
	group = 2
)

var x int32

func parent() {
	if cl.GetGlobalID(0) == 1 {
		x = 1
		return
	}
	var z cl.ClkEvent
	cl.EnqueueKernelEvents(cl.GetDefaultQueue(), flags, cl.NDRange1D(0, 1), nil, &z, func() { x = 7 })
	cl.EnqueueKernelEvents(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), []cl.ClkEvent{z}, nil, func() { x++ })
	cl.ReleaseEvent(z)
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(2, group))
	cl.Finish()
	cl.Assert(x == 2, "the child comes last")
}
