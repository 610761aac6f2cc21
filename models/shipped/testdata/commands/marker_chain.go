// Command marker_chain has a kernel that enqueues markers only, each of which lists the one before it, on two queues.
//
// Derivation: rules 12.14 and 12.18: the markers complete in turn; what the kernel did
// comes before what follows the kernel (rule 12.9).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

var x int32

func parent(q cl.Queue) {
	var b, c cl.ClkEvent
	a := cl.CreateUserEvent()
	cl.EnqueueMarker(cl.GetDefaultQueue(), []cl.ClkEvent{a}, &b)
	cl.EnqueueMarker(q, []cl.ClkEvent{b, a}, &c)
	x = 1
	cl.SetUserEventStatus(a, cl.CLComplete)
	cl.ReleaseEvent(a)
	cl.ReleaseEvent(b)
	cl.ReleaseEvent(c)
}

func main() {
	q := cl.CreateDeviceQueue()
	cl.EnqueueNDRangeKernel(func() { parent(q) }, cl.NDRange1D(1, 1))
	cl.EnqueueNDRangeKernel(func() { x++ }, cl.NDRange1D(1, 1))
	cl.Finish()
	cl.Assert(x == 2, "both have run")
}
