// Command callback_late registers a callback for a command that has long been complete.
//
// Derivation: API 5.11: it is called at once, with the status that the command has;
// rule 12.10.
//
//clmc:expect verified
//clmc:expect -D status=-6 verified
package main

import "github.com/clmc/clmc/models/cl"

const status = 0

var x int32

func kernel() { x = 1 }

func main() {
	gate, done := cl.CreateUserEvent(), cl.CreateUserEvent()
	e := cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1), cl.EventWaitList(gate))
	cl.SetUserEventStatus(gate, status)
	cl.WaitForEvents(e)
	cl.SetEventCallback(e, cl.CLComplete, func(f cl.Event, s int32) {
		cl.Assert(s == status, "the status of the command")
		cl.Assert(x == 1 || status < 0, "what the kernel did")
		cl.SetUserEventStatus(done, cl.CLComplete)
	})
	cl.Assert(cl.WaitForEvents(done), "it is called")
}
