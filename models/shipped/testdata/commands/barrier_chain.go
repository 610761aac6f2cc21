// Command barrier_chain has a barrier with a list between others.
//
// Derivation: the second barrier follows the first (rule 12.7), so that the last
// kernel, behind it, follows what the first waited for, which is all before it. A
// kernel between the barriers is followed by nobody.
//
//clmc:expect verified
//clmc:expect -D between=true violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const between = false

var x, y int32

func first()  { x = 1 }
func middle() { y = 1 }
func last()   { x++; y++ }

func main() {
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	e := cl.CreateUserEvent()
	cl.SetUserEventStatus(e, cl.CLComplete)
	cl.EnqueueNDRangeKernel(first, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.EnqueueBarrierWithWaitList(cl.OnQueue(q))
	if between {
		cl.EnqueueNDRangeKernel(middle, cl.NDRange1D(1, 1), cl.OnQueue(q))
	}
	cl.EnqueueBarrierWithWaitList(cl.OnQueue(q), cl.EventWaitList(e))
	cl.EnqueueNDRangeKernel(last, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.Finish(q)
	cl.Assert(x == 2, "the first barrier is not passed")
}
