// Command user_event lets the host open a gate for a kernel.
//
// Idiom: user event as gate. Source: API 5.11 (clCreateUserEvent), OpenCL
// 3.3.7.5.
//
// Derivation: the kernel waits for the user event; the call that sets it to
// CL_COMPLETE happens before the kernel (rule 12.11), and so what the host has
// written before that call (rule 5.5), although the kernel was enqueued earlier.
// With early=1 the host opens the gate before it writes: the write and the
// kernel's read race (rule 9.1). With never=1 nobody opens it, and clFinish waits
// for ever.
//
//clmc:expect verified
//clmc:expect -D early=1 violated CL1001
//clmc:expect -D never=1 violated CL1011
package main

import "github.com/clmc/clmc/models/cl"

const (
	early = 0
	never = 0
)

var data, seen int32

func kernel() { seen = data }

func main() {
	gate := cl.CreateUserEvent()
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1), cl.EventWaitList(gate))
	if early == 1 {
		cl.SetUserEventStatus(gate, cl.CLComplete)
	}
	data = 9
	if early == 0 && never == 0 {
		cl.SetUserEventStatus(gate, cl.CLComplete)
	}
	cl.Finish()
	cl.Assert(seen == 9, "the kernel waited")
}
