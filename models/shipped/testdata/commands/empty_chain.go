// Command empty_chain has a kernel without work-items between two others.
//
// Derivation: rules 12.2 and 12.3: it starts after its events and its end comes after
// its start, so that the last kernel follows the first. If it lists nothing, it waits
// for nothing, except in an in-order queue (12.5).
//
//clmc:expect verified
//clmc:expect -D listed=false violated CL1001
//clmc:expect -D listed=false -D properties=0 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	listed     = true
	properties = cl.CLQueueOutOfOrderExecModeEnable
)

var x int32

func kernel() { x++ }

func main() {
	q := cl.CreateCommandQueue(0, properties)
	a := cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1), cl.OnQueue(q))
	var z cl.Event
	if listed {
		z = cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(0, 1), cl.OnQueue(q), cl.EventWaitList(a))
	} else {
		z = cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(0, 1), cl.OnQueue(q))
	}
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1), cl.OnQueue(q), cl.EventWaitList(z))
	cl.Finish(q)
	cl.Assert(x == 2, "two have run")
}
