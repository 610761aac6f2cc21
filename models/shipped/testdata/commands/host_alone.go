// Command host_alone has a host that does a single thing.
//
// Derivation: each of these is complete by itself: a marker or barrier of an empty
// queue has nothing to wait for (rules 12.6, 12.7), nor has clFinish (12.8). A user
// event that nobody sets is waited for in vain, and no events cannot be waited for:
// clWaitForEvents returns CL_INVALID_VALUE (API 5.11).
//
//clmc:expect verified
//clmc:expect -D what=1 verified
//clmc:expect -D what=2 verified
//clmc:expect -D what=3 verified
//clmc:expect -D what=4 verified
//clmc:expect -D what=5 violated CL1011
//clmc:expect -D what=6 violated CL1008
//clmc:expect -D what=7 verified
//clmc:expect -D what=8 violated CL1013
package main

import "github.com/clmc/clmc/models/cl"

const what = 0

func main() {
	switch what {
	case 1:
		cl.Finish()
	case 2:
		cl.EnqueueMarkerWithWaitList()
	case 3:
		cl.EnqueueBarrierWithWaitList()
	case 4:
		cl.CreateUserEvent()
	case 5:
		cl.WaitForEvents(cl.CreateUserEvent())
	case 6:
		cl.WaitForEvents()
	case 7:
		cl.WaitForEvents(cl.EnqueueMarkerWithWaitList(cl.EventWaitList()))
	case 8:
		var none cl.Event
		cl.WaitForEvents(none)
	}
}
