// Command marker_in_order lists a complete command in a marker of an in-order queue.
//
// Derivation: rule 12.5 orders the commands of an in-order queue, markers among them,
// whatever they list; a marker of another queue that lists a complete command waits
// for nothing, and the kernel behind it races with the first.
//
//clmc:expect verified
//clmc:expect -D other=true violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

// other: the marker, and the kernel behind it, are in another queue.
const other = false

var x int32

func nothing() {}
func first()   { x = 1 }
func second()  { x = 2 }

func main() {
	p := cl.CreateCommandQueue(0, 0)
	q := p
	if other {
		q = cl.CreateCommandQueue(0, 0)
	}
	a := cl.EnqueueNDRangeKernel(nothing, cl.NDRange1D(1, 1), cl.OnQueue(p))
	cl.WaitForEvents(a)
	cl.EnqueueNDRangeKernel(first, cl.NDRange1D(1, 1), cl.OnQueue(p))
	cl.EnqueueMarkerWithWaitList(cl.OnQueue(q), cl.EventWaitList(a))
	cl.EnqueueNDRangeKernel(second, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.Finish(p)
	cl.Finish(q)
}
