// Command barrier_waited lists a command that the host has waited for in a barrier.
//
// Derivation: as in marker_waited: the barrier waits for its list only (API 5.12),
// though all behind it waits for the barrier (rule 12.7).
//
//clmc:expect violated CL1001
//clmc:expect -D how=1 verified
//clmc:expect -D how=2 verified
package main

import "github.com/clmc/clmc/models/cl"

// how: what the barrier lists: 0 the complete command, 1 nothing, 2 both.
const how = 0

var x int32

func nothing() {}
func first()   { x = 1 }
func second()  { x = 2 }

func main() {
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	a := cl.EnqueueNDRangeKernel(nothing, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.Finish(q)
	b := cl.EnqueueNDRangeKernel(first, cl.NDRange1D(1, 1), cl.OnQueue(q))
	switch how {
	case 0:
		cl.EnqueueBarrierWithWaitList(cl.OnQueue(q), cl.EventWaitList(a))
	case 1:
		cl.EnqueueBarrierWithWaitList(cl.OnQueue(q))
	case 2:
		cl.EnqueueBarrierWithWaitList(cl.OnQueue(q), cl.EventWaitList(a, b))
	}
	cl.EnqueueNDRangeKernel(second, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.Finish(q)
	cl.Assert(x == 2, "second comes last")
}
