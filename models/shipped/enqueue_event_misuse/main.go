// Command enqueue_event_misuse uses events as it must not.
//
// Idiom: retain_event, release_event, is_valid_event. Source: OpenCL C 6.15.18.
//
// Derivation: an enqueue returns its event retained once (rule 12.17). It may be
// retained and released, but not after the last release (12.19); only a user
// event can be set (12.19), and a command can wait only for a valid event. Use 0
// does nothing wrong; the others are misuses, CL1013.
//
//clmc:expect verified
//clmc:expect -D use=1 violated CL1013
//clmc:expect -D use=2 violated CL1013
//clmc:expect -D use=3 violated CL1013
//clmc:expect -D use=4 violated CL1013
//clmc:expect -D use=5 violated CL1013
package main

import "github.com/clmc/clmc/models/cl"

const use = 0

func parent() {
	q, one := cl.GetDefaultQueue(), cl.NDRange1D(1, 1)
	var done, none cl.ClkEvent
	cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, nil, &done, func() {})
	cl.RetainEvent(done)
	cl.ReleaseEvent(done)
	cl.Assert(cl.IsValidEvent(done) && !cl.IsValidEvent(none), "which events are valid")
	cl.ReleaseEvent(done)
	gate := cl.CreateUserEvent()
	cl.SetUserEventStatus(gate, cl.CLComplete)
	switch use {
	case 1:
		cl.ReleaseEvent(done)
	case 2:
		cl.RetainEvent(none)
	case 3:
		cl.SetUserEventStatus(gate, cl.CLComplete)
	case 4:
		var marker cl.ClkEvent
		cl.EnqueueMarker(q, []cl.ClkEvent{gate}, &marker)
		cl.SetUserEventStatus(marker, cl.CLComplete)
	case 5:
		cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, []cl.ClkEvent{none}, nil, func() {})
	}
	cl.ReleaseEvent(gate)
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	cl.Finish()
}
