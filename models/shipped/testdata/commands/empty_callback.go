// Command empty_callback has a callback on a kernel without work-items.
//
// Derivation: rules 12.10 and 12.22: the callback is called when the kernel is
// complete, and knows what the kernel waited for.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

var x int32

func kernel() { x = 1 }

func main() {
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	done := cl.CreateUserEvent()
	a := cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1), cl.OnQueue(q))
	z := cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(0, 1), cl.OnQueue(q), cl.EventWaitList(a))
	cl.SetEventCallback(z, cl.CLComplete, func(e cl.Event, status int32) {
		cl.Assert(status == cl.CLComplete, "it succeeds")
		x++
		cl.SetUserEventStatus(done, cl.CLComplete)
	})
	cl.WaitForEvents(done)
	cl.Assert(x == 2, "the callback comes last")
}
