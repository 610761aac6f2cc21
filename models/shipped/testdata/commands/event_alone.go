// Command event_alone has a kernel whose only command is one that no other goes with.
//
// Derivation: create_user_event, is_valid_event, retain_event and release_event need
// no command beside them (rule 12.19); release_event and is_valid_event of an event
// that is none are as C 6.15.18 has them.
//
//clmc:expect verified
//clmc:expect -D what=1 verified
//clmc:expect -D what=2 violated CL1013
//clmc:expect -D what=3 verified
//clmc:expect -D what=4 violated CL1013
//clmc:expect -D what=5 violated CL1013
package main

import "github.com/clmc/clmc/models/cl"

const what = 0

func kernel() {
	var none cl.ClkEvent
	switch what {
	case 0:
		cl.CreateUserEvent()
	case 1:
		cl.Assert(!cl.IsValidEvent(none), "none")
	case 2:
		cl.ReleaseEvent(none)
	case 3:
		cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsWaitKernel, cl.NDRange1D(1, 1), func() {})
	case 4:
		cl.RetainEvent(none)
	case 5:
		cl.SetUserEventStatus(none, cl.CLComplete)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1))
	cl.Finish()
}
