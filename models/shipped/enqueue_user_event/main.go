// Command enqueue_user_event holds a child back by a user event, until its parent
// has written what the child reads.
//
// Idiom: create_user_event, set_user_event_status. Source: OpenCL 3.3.7.5, OpenCL
// C 6.15.18.
//
// Derivation: the call that sets the event to CL_COMPLETE synchronises with the
// commands that wait for it (rule 12.11), so the child reads 42 although it was
// enqueued with NO_WAIT before the write. If nobody sets the event, the child never
// starts, so neither does the parent complete (12.15) nor clFinish return.
//
//clmc:expect verified
//clmc:expect -D set=false violated CL1011
package main

import "github.com/clmc/clmc/models/cl"

const set = true

var data int32

func parent() {
	gate := cl.CreateUserEvent()
	cl.EnqueueKernelEvents(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), []cl.ClkEvent{gate}, nil, func() {
		cl.Assert(data == 42, "the value arrived")
	})
	data = 42
	if set {
		cl.SetUserEventStatus(gate, cl.CLComplete)
	}
	cl.ReleaseEvent(gate)
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	cl.Finish()
}
