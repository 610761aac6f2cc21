// Command marker_failed lists a failed user event in a marker.
//
// Derivation: API 5.11: a command one of whose events has failed is terminated with
// that status, and so is what waits for it: the kernel does not run, and
// clWaitForEvents tells.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

var x int32

func kernel() { x = 1 }

func main() {
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	e := cl.CreateUserEvent()
	cl.SetUserEventStatus(e, -5)
	m := cl.EnqueueMarkerWithWaitList(cl.OnQueue(q), cl.EventWaitList(e))
	k := cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1), cl.OnQueue(q), cl.EventWaitList(m))
	cl.Assert(!cl.WaitForEvents(k), "the kernel fails")
	cl.Assert(cl.GetEventInfo(m, cl.CLEventCommandExecutionStatus) == -5, "the marker as well")
	cl.Assert(x == 0, "it has not run")
}
