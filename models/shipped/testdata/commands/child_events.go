// Command child_events uses events of children in odd ways.
//
// Derivation: rules 12.17 to 12.19: an event that has been released is not valid; one
// that has been retained is, after one release; enqueue_marker without events is an
// error, and without event_ret does nothing; an event can be in a list while its
// command is complete.
//
//clmc:expect violated CL1013
//clmc:expect -D what=1 verified
//clmc:expect -D what=2 violated CL1013
//clmc:expect -D what=3 verified
//clmc:expect -D what=4 verified
package main

import "github.com/clmc/clmc/models/cl"

const what = 0

var x int32

func parent() {
	q, one := cl.GetDefaultQueue(), cl.NDRange1D(1, 1)
	var a, b cl.ClkEvent
	cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, nil, &a, func() { x = 1 })
	switch what {
	case 0:
		cl.ReleaseEvent(a)
		cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, []cl.ClkEvent{a}, nil, func() { x++ })
		return
	case 1:
		cl.RetainEvent(a)
		cl.ReleaseEvent(a)
		cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, []cl.ClkEvent{a}, nil, func() { x++ })
	case 2:
		cl.EnqueueMarker(q, nil, &b)
	case 3:
		cl.EnqueueMarker(q, []cl.ClkEvent{a}, nil)
		cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, []cl.ClkEvent{a}, nil, func() { x++ })
	case 4:
		cl.EnqueueMarker(q, []cl.ClkEvent{a, a}, &b)
		cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, []cl.ClkEvent{b, a}, nil, func() { x++ })
		cl.ReleaseEvent(b)
	}
	cl.ReleaseEvent(a)
}

func main() {
	cl.EnqueueNDRangeKernel(parent, one())
	cl.Finish()
	cl.Assert(x == 2, "both children have run")
}

func one() cl.NDRange { return cl.NDRange1D(1, 1) }
