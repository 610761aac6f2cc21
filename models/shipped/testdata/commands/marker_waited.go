// Command marker_waited lists a command that the host has waited for in a marker.
//
// Derivation: the list is not empty, so the marker waits for nothing else (rule 12.6):
// second may run while first does (rule 12.21), and they race (rule 9.1). Without a
// list, or with first in it, it follows (rules 12.2, 12.6).
//
//clmc:expect violated CL1001
//clmc:expect -D how=1 verified
//clmc:expect -D how=2 verified
package main

import "github.com/clmc/clmc/models/cl"

// how: what the marker lists: 0 the complete command, 1 nothing, 2 both.
const how = 0

var x int32

func nothing() {}
func first()   { x = 1 }
func second()  { x = 2 }

func main() {
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	a := cl.EnqueueNDRangeKernel(nothing, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.WaitForEvents(a)
	b := cl.EnqueueNDRangeKernel(first, cl.NDRange1D(1, 1), cl.OnQueue(q))
	var m cl.Event
	switch how {
	case 0:
		m = cl.EnqueueMarkerWithWaitList(cl.OnQueue(q), cl.EventWaitList(a))
	case 1:
		m = cl.EnqueueMarkerWithWaitList(cl.OnQueue(q))
	case 2:
		m = cl.EnqueueMarkerWithWaitList(cl.OnQueue(q), cl.EventWaitList(a, b))
	}
	cl.EnqueueNDRangeKernel(second, cl.NDRange1D(1, 1), cl.OnQueue(q), cl.EventWaitList(m))
	cl.Finish(q)
	cl.Assert(x == 2, "second comes last")
}
