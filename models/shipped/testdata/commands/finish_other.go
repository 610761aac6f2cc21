// Command finish_other finishes one of two queues.
//
// Derivation: clFinish waits for its queue alone (rule 12.8): the kernel in the other
// races with the host.
//
//clmc:expect violated CL1001
//clmc:expect -D both=true verified
package main

import "github.com/clmc/clmc/models/cl"

const both = false

var x int32

func kernel() { x = 1 }
func empty()  {}

func main() {
	p, q := cl.CreateCommandQueue(0, 0), cl.CreateCommandQueue(0, 0)
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1), cl.OnQueue(p))
	cl.EnqueueNDRangeKernel(empty, cl.NDRange1D(0, 1), cl.OnQueue(q))
	cl.EnqueueMarkerWithWaitList(cl.OnQueue(q))
	cl.Finish(q)
	if both {
		cl.Finish(p)
	}
	x = 2
	cl.Finish(p)
}
