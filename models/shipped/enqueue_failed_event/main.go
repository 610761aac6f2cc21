// Command enqueue_failed_event sets a user event to a negative status.
//
// Idiom: abnormal termination. Source: OpenCL 3.2.3, OpenCL C 6.15.18.
//
// Derivation: the child waits for an event that fails, so it fails without
// running, and its parent terminates abnormally (rules 12.16, 12.19), which the
// host, without the parent's event, cannot know: CL1014. If the status is
// CL_COMPLETE, the child runs. A positive status is a misuse (12.19), CL1013.
//
//clmc:expect violated CL1014
//clmc:expect -D status=0 verified
//clmc:expect -D status=1 violated CL1013
package main

import "github.com/clmc/clmc/models/cl"

const status = -5

func parent() {
	gate := cl.CreateUserEvent()
	cl.EnqueueKernelEvents(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), []cl.ClkEvent{gate}, nil, func() {
		cl.Assert(status == 0, "the child runs only if its event is complete")
	})
	cl.SetUserEventStatus(gate, status)
	cl.ReleaseEvent(gate)
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	cl.Finish()
}
