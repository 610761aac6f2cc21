// Command status_poll waits for a user event, which another thread sets, by asking for its status.
//
// Derivation: whoever sees a status is not synchronised with (API 5.11): the read of x
// is a race with its write, unless the thread waits for the event, too (rule 12.4).
//
//clmc:expect violated CL1001
//clmc:expect -D wait=true verified
package main

import "github.com/clmc/clmc/models/cl"

const wait = false

var x int32

func setter(e cl.Event) {
	x = 1
	cl.SetUserEventStatus(e, cl.CLComplete)
}

func main() {
	e := cl.CreateUserEvent()
	go setter(e)
	for cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus) != cl.CLComplete {
	}
	if wait {
		cl.WaitForEvents(e)
	}
	cl.Assert(x == 1, "written")
}
