// Command event_slice waits for the events of an array, and has a command wait for them.
//
// Derivation: API 5.11: clWaitForEvents waits for all of the list, which orders all of the
// commands before its return (rule 12.4), and tells whether none has failed. A list of
// some does not order the others, which race with the host (rule 9.1). It has one event at least
// (CL_INVALID_VALUE). A command whose wait list has all of them follows all (rule 12.2).
//
//clmc:expect verified
//clmc:expect -D waits=2 violated CL1001
//clmc:expect -D waits=0 violated CL1008
//clmc:expect -D fails=true violated CL1004
//clmc:expect -D lists=true -D waits=1 verified
//clmc:expect -D lists=true -D waits=1 -D listed=2 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const (
	waits  = 3
	fails  = false
	lists  = false
	listed = 3
)

var (
	x   [3]int32
	sum int32
)

func main() {
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	var done [4]cl.Event
	for i := range x {
		done[i] = cl.EnqueueNDRangeKernel(func() { x[i] = 1 }, cl.NDRange1D(1, 1), cl.OnQueue(q))
	}
	if fails {
		done[1] = cl.CreateUserEvent()
		cl.SetUserEventStatus(done[1], -3)
	}
	if lists {
		done[0] = cl.EnqueueNDRangeKernel(func() { sum = x[0] + x[1] + x[2] }, cl.NDRange1D(1, 1), cl.OnQueue(q), cl.EventWaitList(done[:listed]...))
	}
	n := waits
	if cl.Choose(2) == 1 { // so that the number is not known at load time
		n = 0 + waits
	}
	cl.Assert(cl.WaitForEvents(done[:n]...), "all went well")
	if lists {
		cl.Assert(sum == 3, "the sum is in")
		return
	}
	if !fails {
		cl.Assert(x[0]+x[1]+x[2] == 3, "all have written")
	}
}
