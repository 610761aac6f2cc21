// Command status_running asks whether a kernel runs that waits for a user event, which another thread sets.
//
// Derivation: API 5.11: CL_RUNNING says that the device runs the command, which it does
// not before the wait list is complete; and a device that can runs it sooner or later,
// so that the loop ends. That one has seen it orders nothing: the read of x is a race
// with its write by the setter, unless the thread waits for the event, too (rule 12.4).
//
//clmc:expect verified
//clmc:expect -D gated=false violated CL1004
//clmc:expect -D reads=true violated CL1001
//clmc:expect -D reads=true -D wait=true verified
//clmc:expect -D status=-5 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	gated  = true
	reads  = false
	wait   = false
	status = 0
)

var x int32

func kernel() {}

func setter(gate cl.Event) {
	x = 1
	cl.SetUserEventStatus(gate, status)
}

func main() {
	gate := cl.CreateUserEvent()
	var e cl.Event
	if gated {
		e = cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1), cl.EventWaitList(gate))
	} else {
		e = cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1))
	}
	cl.Assert(cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus) > cl.CLRunning, "the gate is shut")
	go setter(gate)
	s := cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus)
	for s > cl.CLRunning {
		s = cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus)
	}
	cl.Assert(status == 0 || s == status, "what fails never ran")
	if wait {
		cl.WaitForEvents(gate)
	}
	if reads {
		cl.Assert(x == 1, "written")
	}
}
