// Command status_failed_child has a kernel fail, by a child whose event fails, in a program without memory.
//
// Derivation: rules 12.16 and 12.19: the child gets the status of its event, and the
// parent that of the child.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

func parent() {
	a := cl.CreateUserEvent()
	cl.EnqueueKernelEvents(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), []cl.ClkEvent{a}, nil, func() {
		cl.Assert(false, "it does not run")
	})
	cl.SetUserEventStatus(a, -77)
	cl.ReleaseEvent(a)
}

func main() {
	e := cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	s := cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus)
	cl.Assert(s == -77 || s > 0, "it fails in the end")
	cl.Assert(!cl.WaitForEvents(e), "failed")
	cl.Assert(cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus) == -77, "with the child's status")
}
