// Command user_event_failed cancels a chain of commands by a user event.
//
// Idiom: negative status. Source: API 5.11 (clSetUserEventStatus: commands that
// wait for an event of negative status terminate with a negative status).
//
// Derivation: the kernel waits for an event that is set to -7, so it terminates
// with a negative status instead of running (rules 12.2, 12.11); so does the one
// that waits for it. clWaitForEvents tells. With quiet=1 the host does not keep
// the event of the first kernel: it cannot know what has become of it, which is
// reported.
//
//clmc:expect verified
//clmc:expect -D quiet=1 violated CL1014
package main

import "github.com/clmc/clmc/models/cl"

const quiet = 0

var data int32

func kernel() { data = 1 }

func main() {
	gate := cl.CreateUserEvent()
	range1 := cl.NDRange1D(1, 1)
	if quiet == 1 {
		cl.EnqueueNDRangeKernel(kernel, range1, cl.EventWaitList(gate))
		cl.SetUserEventStatus(gate, -7)
		cl.Finish()
		return
	}
	a := cl.EnqueueNDRangeKernel(kernel, range1, cl.EventWaitList(gate))
	b := cl.EnqueueNDRangeKernel(kernel, range1, cl.EventWaitList(a))
	cl.SetUserEventStatus(gate, -7)
	cl.Assert(!cl.WaitForEvents(b), "the failure is told")
	cl.Assert(cl.GetEventInfo(a, cl.CLEventCommandExecutionStatus) == -7, "with its status")
	cl.Assert(data == 0, "no kernel has run")
}
