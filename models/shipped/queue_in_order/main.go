// Command queue_in_order runs two kernels on one in-order queue, or on an
// out-of-order queue with or without an event.
//
// Idiom: two dependent kernels. Source: OpenCL 3.3.7.5.
//
// Derivation: in an in-order queue the first kernel's completion happens before
// the second kernel (rules 12.3, 12.5, 12.9). In an out-of-order queue the two
// may run at the same time (rule 12.21) and race (rule 9.1), unless the second
// waits for the event of the first (rule 12.2), or a marker (rule 12.6) that it
// waits for, or a barrier (rule 12.7), stands between them.
//
//clmc:expect verified
//clmc:expect -D how=1 violated CL1001
//clmc:expect -D how=2 verified
//clmc:expect -D how=3 verified
//clmc:expect -D how=4 verified
//clmc:expect -D how=5 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

// how the kernels are ordered: 0 in-order queue, 1 not at all, 2 event, 3 marker,
// 4 barrier, 5 a marker that the second kernel does not wait for.
const how = 0

var data int32

func first()  { data = 1 }
func second() { data++ }

func main() {
	var queue cl.CommandQueue
	if how > 0 {
		queue = cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	}
	range1 := cl.NDRange1D(1, 1)
	e := cl.EnqueueNDRangeKernel(first, range1, cl.OnQueue(queue))
	switch how {
	case 2:
		cl.EnqueueNDRangeKernel(second, range1, cl.OnQueue(queue), cl.EventWaitList(e))
	case 3:
		m := cl.EnqueueMarkerWithWaitList(cl.OnQueue(queue))
		cl.EnqueueNDRangeKernel(second, range1, cl.OnQueue(queue), cl.EventWaitList(m))
	case 4:
		cl.EnqueueBarrierWithWaitList(cl.OnQueue(queue))
		cl.EnqueueNDRangeKernel(second, range1, cl.OnQueue(queue))
	case 5:
		cl.EnqueueMarkerWithWaitList(cl.OnQueue(queue))
		cl.EnqueueNDRangeKernel(second, range1, cl.OnQueue(queue))
	default:
		cl.EnqueueNDRangeKernel(second, range1, cl.OnQueue(queue))
	}
	cl.Finish(queue)
	cl.Assert(data == 2, "both have run")
}
