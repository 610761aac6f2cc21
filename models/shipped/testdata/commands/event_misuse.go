// Command event_misuse misuses events of the host.
//
// Derivation: API 5.11: the status of a user event is set once, to CL_COMPLETE or a
// negative value, and of no other event; CL_INVALID_EVENT else. A null event can be
// used nowhere.
//
//clmc:expect violated CL1013
//clmc:expect -D what=1 violated CL1013
//clmc:expect -D what=2 violated CL1013
//clmc:expect -D what=3 violated CL1013
//clmc:expect -D what=4 violated CL1013
//clmc:expect -D what=5 violated CL1013
package main

import "github.com/clmc/clmc/models/cl"

const what = 0

func kernel() {}

func main() {
	var none cl.Event
	u := cl.CreateUserEvent()
	switch what {
	case 0:
		cl.SetUserEventStatus(u, cl.CLComplete)
		cl.SetUserEventStatus(u, cl.CLComplete)
	case 1:
		cl.SetUserEventStatus(u, cl.CLRunning)
	case 2:
		cl.SetUserEventStatus(cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(0, 1)), cl.CLComplete)
	case 3:
		cl.EnqueueMarkerWithWaitList(cl.EventWaitList(none))
	case 4:
		cl.GetEventInfo(none, cl.CLEventCommandExecutionStatus)
	case 5:
		cl.SetEventCallback(none, cl.CLComplete, func(e cl.Event, status int32) {})
	}
	cl.Finish()
}
