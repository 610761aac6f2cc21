// Command cross_wait has two queues wait for each other.
//
// Derivation: each marker waits for the event of the other queue's kernel (rule 12.2),
// which is complete without it: no cycle. If the kernels wait for user events that are
// set behind clFinish, nothing ever starts.
//
//clmc:expect verified
//clmc:expect -D late=true violated CL1011
package main

import "github.com/clmc/clmc/models/cl"

const late = false

func empty() {}

func main() {
	p, q := cl.CreateCommandQueue(0, 0), cl.CreateCommandQueue(0, 0)
	u := cl.CreateUserEvent()
	a := cl.EnqueueNDRangeKernel(empty, cl.NDRange1D(0, 1), cl.OnQueue(p), cl.EventWaitList(u))
	b := cl.EnqueueNDRangeKernel(empty, cl.NDRange1D(1, 1), cl.OnQueue(q), cl.EventWaitList(u))
	cl.EnqueueMarkerWithWaitList(cl.OnQueue(p), cl.EventWaitList(b))
	cl.EnqueueMarkerWithWaitList(cl.OnQueue(q), cl.EventWaitList(a))
	if !late {
		cl.SetUserEventStatus(u, cl.CLComplete)
	}
	cl.Finish(p)
	cl.Finish(q)
	if late {
		cl.SetUserEventStatus(u, cl.CLComplete)
	}
}
