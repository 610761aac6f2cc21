// Command enqueue_events orders the children of a kernel by events: a producer, a
// consumer that waits for its event, and a marker that joins two.
//
// Idiom: event wait lists, enqueue_marker. Source: OpenCL 3.2.3, 3.3.7.5; OpenCL
// C 6.15.18.
//
// Derivation: a device queue is out-of-order (rule 12.14). A command synchronises
// with its event, and the event with the commands that wait for it (12.2, 12.3);
// a marker is complete when its list is (12.18). So the consumer sees both
// values. Without the wait list it races with the producers (9.1).
//
//clmc:expect verified
//clmc:expect -D wait=false violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const wait = true

var a, b int32

func parent() {
	q, one := cl.GetDefaultQueue(), cl.NDRange1D(1, 1)
	var first, second, both cl.ClkEvent
	cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, nil, &first, func() { a = 1 })
	cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, nil, &second, func() { b = 2 })
	cl.EnqueueMarker(q, []cl.ClkEvent{first, second}, &both)
	if wait {
		cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, []cl.ClkEvent{both}, nil, consume)
	} else {
		cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, nil, nil, consume)
	}
	cl.ReleaseEvent(first)
	cl.ReleaseEvent(second)
	cl.ReleaseEvent(both)
}

func consume() { cl.Assert(a+b == 3, "both values arrived") }

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	cl.Finish()
}
