// Command marker_wait_list puts a marker with a wait list, or a barrier with one,
// between two kernels of an out-of-order queue, whose list does not name the first.
//
// Idiom: a marker as a dependency that is thought to cover the whole queue. Source:
// OpenCL API 5.12, clEnqueueMarkerWithWaitList and clEnqueueBarrierWithWaitList.
//
// Derivation: only with an empty wait list does a marker or barrier follow all
// commands before it (rules 12.6, 12.7). A list that names commands stays one when
// these are complete, as they are here when the host has waited: the marker then waits
// for nothing, and the kernel behind it may run beside the first (rule 12.21), with
// which it races (rule 9.1). If the list names the first kernel, it follows it (rule
// 12.2). That clGetEventInfo says that the first kernel is complete orders nothing: the
// read of the result is a race (rules 12.4, 9.1).
//
//clmc:expect violated CL1001
//clmc:expect -D barrier=true violated CL1001
//clmc:expect -D listed=false verified
//clmc:expect -D barrier=true -D listed=false verified
//clmc:expect -D named=true verified
//clmc:expect -D barrier=true -D named=true verified
//clmc:expect -D named=true -D asks=true violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const (
	barrier = false // a barrier in place of the marker
	listed  = true  // it has a wait list
	named   = false // that names the first kernel, too
	asks    = false // the host asks whether the second kernel is complete, and reads
)

var data int32

func setup()  {}
func first()  { data = 1 }
func second() { data++ }

func main() {
	queue := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	range1 := cl.NDRange1D(1, 1)
	ready := cl.EnqueueNDRangeKernel(setup, range1, cl.OnQueue(queue))
	cl.WaitForEvents(ready)
	e := cl.EnqueueNDRangeKernel(first, range1, cl.OnQueue(queue))
	var m cl.Event
	switch {
	case !listed && barrier:
		m = cl.EnqueueBarrierWithWaitList(cl.OnQueue(queue))
	case !listed:
		m = cl.EnqueueMarkerWithWaitList(cl.OnQueue(queue))
	case named && barrier:
		m = cl.EnqueueBarrierWithWaitList(cl.OnQueue(queue), cl.EventWaitList(ready, e))
	case named:
		m = cl.EnqueueMarkerWithWaitList(cl.OnQueue(queue), cl.EventWaitList(ready, e))
	case barrier:
		m = cl.EnqueueBarrierWithWaitList(cl.OnQueue(queue), cl.EventWaitList(ready))
	default:
		m = cl.EnqueueMarkerWithWaitList(cl.OnQueue(queue), cl.EventWaitList(ready))
	}
	last := cl.EnqueueNDRangeKernel(second, range1, cl.OnQueue(queue), cl.EventWaitList(m))
	if asks && cl.GetEventInfo(last, cl.CLEventCommandExecutionStatus) == cl.CLComplete {
		cl.Assert(data == 2, "both have run")
	}
	cl.Finish(queue)
	cl.Assert(data == 2, "both have run")
}
