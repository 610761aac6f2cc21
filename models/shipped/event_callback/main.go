// Command event_callback uses a result in a callback.
//
// Idiom: clSetEventCallback, and a user event set by the callback. Source: API
// 5.11, OpenCL 3.3.7.5.
//
// Derivation: the kernel's event happens before the callback's operations (rule
// 12.10), so the callback sees the result. It sets a user event, which happens
// before the command that waits for it (rule 12.11), and that command's event
// before the return of clWaitForEvents (rule 12.4). With direct=1 main reads the
// total without waiting: a race (rule 9.1).
//
//clmc:expect verified
//clmc:expect -D direct=1 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const direct = 0

var result, total int32

func kernel() { result = 21 }

func main() {
	called := cl.CreateUserEvent()
	e := cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1))
	cl.SetEventCallback(e, cl.CLComplete, func(event cl.Event, status int32) {
		cl.Assert(status == cl.CLComplete, "the kernel has not failed")
		total = 2 * result
		cl.SetUserEventStatus(called, cl.CLComplete)
	})
	if direct == 0 {
		cl.WaitForEvents(cl.EnqueueMarkerWithWaitList(cl.EventWaitList(called)))
		cl.Assert(total == 42, "the callback has run")
	}
	cl.Observe("total", total)
}
