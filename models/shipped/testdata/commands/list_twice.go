// Command list_twice lists an event twice, and waits for it twice.
//
// Derivation: a wait list is a set: rule 12.2.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

var x int32

func kernel() { x++ }

func main() {
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	a := cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1), cl.OnQueue(q))
	b := cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1), cl.OnQueue(q), cl.EventWaitList(a, a))
	cl.WaitForEvents(b, b)
	cl.WaitForEvents(a, b)
	cl.Assert(x == 2, "both have run")
}
