// Command events_alone makes two user events and nothing else, with a choice between.
//
// Derivation: they are two events: that the first is set does not set the second,
// which nobody sets, so that clWaitForEvents never returns (rules 12.4, 12.11). The
// first can be waited for, and tells its own status (rule 12.19).
//
//clmc:expect verified
//clmc:expect -D second=true violated CL1011
package main

import "github.com/clmc/clmc/models/cl"

const second = false

func main() {
	e := cl.CreateUserEvent()
	n := cl.Choose(2)
	f := cl.CreateUserEvent()
	cl.SetUserEventStatus(e, int32(-n))
	if second {
		cl.WaitForEvents(f)
	} else {
		cl.Assert(cl.WaitForEvents(e) == (n == 0), "as it was set")
	}
}
