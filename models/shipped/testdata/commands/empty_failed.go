// Command empty_failed has a kernel without work-items wait for an event that fails, or is never set.
//
// Derivation: rule 12.22: it succeeds once its events are complete; if one has failed
// it fails as any command (API 5.11), and if one is never set it never completes.
//
//clmc:expect verified
//clmc:expect -D set=false violated CL1011
package main

import "github.com/clmc/clmc/models/cl"

const set = true

func kernel() {}

func main() {
	e := cl.CreateUserEvent()
	z := cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(0, 1), cl.EventWaitList(e))
	if set {
		cl.SetUserEventStatus(e, -4)
	}
	cl.Assert(!cl.WaitForEvents(z), "it fails")
	cl.Assert(cl.GetEventInfo(z, cl.CLEventCommandExecutionStatus) == -4, "with the status of the event")
}
