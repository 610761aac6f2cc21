// Command enqueue_two_failures lets two children of a kernel fail.
//
// Idiom: abnormal termination of a kernel that the host watches. Source: OpenCL
// 3.2.3 ("its status will be that of one of its child kernels", which one is
// implementation-defined), API 5.11.
//
// Derivation: each child waits for a user event that is set to a negative status,
// so it fails with that status (rules 12.2, 12.19), and the kernel terminates
// abnormally with the status of one of them, either (rule 12.16). The host keeps
// the kernel's event, so that it learns of the failure from clWaitForEvents and
// of the status from clGetEventInfo. A kernel that waits for that event fails
// with the same status and does not run. With second=0 the second child completes,
// and the status is the first one's.
//
//clmc:expect verified
//clmc:outcomes status=-7 | status=-5
//clmc:expect -D second=0 verified
//clmc:outcomes status=-5
package main

import "github.com/clmc/clmc/models/cl"

const second = -7

var ran int32

func parent() {
	q, one := cl.GetDefaultQueue(), cl.NDRange1D(1, 1)
	a, b := cl.CreateUserEvent(), cl.CreateUserEvent()
	cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, []cl.ClkEvent{a}, nil, func() {})
	cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, one, []cl.ClkEvent{b}, nil, func() {})
	cl.SetUserEventStatus(a, -5)
	cl.SetUserEventStatus(b, second)
	cl.ReleaseEvent(a)
	cl.ReleaseEvent(b)
}

func next() { ran = 1 }

func main() {
	e := cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	n := cl.EnqueueNDRangeKernel(next, cl.NDRange1D(1, 1), cl.EventWaitList(e))
	cl.Assert(!cl.WaitForEvents(e), "the failure is told")
	status := cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus)
	cl.Assert(!cl.WaitForEvents(n) && ran == 0, "what waits for it does not run")
	cl.Assert(cl.GetEventInfo(n, cl.CLEventCommandExecutionStatus) == status, "and fails likewise")
	cl.Observe("status", status)
}
