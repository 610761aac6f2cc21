// Command status_user asks for the status of a user event in a program without memory.
//
// Derivation: rule 12.19: submitted until it is set, then as it was set; the thread
// that sets it comes after itself.
//
//clmc:expect verified
//clmc:expect -D status=-3 verified
package main

import "github.com/clmc/clmc/models/cl"

const status = 0

func main() {
	e, f := cl.CreateUserEvent(), cl.CreateUserEvent()
	cl.Assert(cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus) == cl.CLSubmitted, "not set")
	cl.SetUserEventStatus(e, status)
	cl.Assert(cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus) == status, "set")
	cl.Assert(cl.GetEventInfo(f, cl.CLEventCommandExecutionStatus) == cl.CLSubmitted, "the other is not")
	cl.Assert(cl.WaitForEvents(e) == (status == 0), "waiting tells the same")
}
