// Command map_lost_update loses a kernel's result by a map command that does not
// wait for the kernel.
//
// Idiom: two kernels on two queues write the halves of a buffer that is mapped
// after the first. Source: OpenCL 3.3.7.5 ("allowed to overwrite the entire
// target region").
//
// Derivation: the map command follows the first kernel only. It may overwrite
// the whole region by what that kernel has seen, so that what the other kernel
// has written meanwhile may be lost (rule 2.7): the host, having waited for both,
// reads 20 or 0. If the map command waits for both kernels, both values are part
// of what it has seen. With again=1 the second kernel follows the first and
// overwrites its value: that may be lost, but what the map command follows is not.
//
//clmc:expect verified
//clmc:outcomes left=10 right=0 | left=10 right=20
//clmc:expect -D both=1 verified
//clmc:outcomes left=10 right=20
//clmc:expect -D again=1 verified
//clmc:outcomes left=10 right=0 | left=30 right=0
package main

import "github.com/clmc/clmc/models/cl"

const (
	both  = 0
	again = 0
)

var buffer = cl.NewBuffer[int32](2)

func left() { buffer[0] = 10 }
func right() {
	if again == 1 {
		buffer[0] = 30
	} else {
		buffer[1] = 20
	}
}

func main() {
	other := cl.CreateCommandQueue(0, 0)
	range1 := cl.NDRange1D(1, 1)
	a := cl.EnqueueNDRangeKernel(left, range1)
	if again == 1 {
		cl.EnqueueMarkerWithWaitList(cl.OnQueue(other), cl.EventWaitList(a)) // the queue is in-order
	}
	b := cl.EnqueueNDRangeKernel(right, range1, cl.OnQueue(other))
	if both == 1 {
		p, _ := cl.EnqueueMapBuffer(buffer, cl.CLBlocking, cl.CLMapRead, 0, 2, cl.EventWaitList(a, b))
		cl.Observe("left", p[0])
		cl.Observe("right", p[1])
		return
	}
	p, _ := cl.EnqueueMapBuffer(buffer, cl.CLBlocking, cl.CLMapRead, 0, 2, cl.EventWaitList(a))
	cl.Finish(other)
	cl.Observe("left", p[0])
	cl.Observe("right", p[1])
}
