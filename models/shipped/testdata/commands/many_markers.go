// Command many_markers puts a hundred markers, each with the one before it in its list, between two kernels.
//
// Derivation: rule 12.2, a hundred times. Where one of them lists a complete command
// only, the chain is broken.
//
//clmc:expect verified
//clmc:expect -D broken=50 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const broken = -1

var x int32

func first()  { x = 1 }
func second() { x++ }

func main() {
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	done := cl.CreateUserEvent()
	cl.SetUserEventStatus(done, cl.CLComplete)
	m := cl.EnqueueNDRangeKernel(first, cl.NDRange1D(1, 1), cl.OnQueue(q))
	for i := range 100 {
		if i == broken {
			m = done
		}
		m = cl.EnqueueMarkerWithWaitList(cl.OnQueue(q), cl.EventWaitList(m))
	}
	cl.EnqueueNDRangeKernel(second, cl.NDRange1D(1, 1), cl.OnQueue(q), cl.EventWaitList(m))
	cl.Finish(q)
	cl.Assert(x == 2, "both have run")
}
