// Command enqueue_queue_full enqueues two children, one from each work-item, to a
// device queue that holds a single command.
//
// Idiom: queue limits. Source: OpenCL C 6.15.18 (CLK_DEVICE_QUEUE_FULL).
//
// Derivation: whichever work-item comes second finds the queue full, unless the
// other's child has completed by then, which NO_WAIT allows; an enqueue on a full
// queue fails (rule 12.17). So at least one child runs, and each of the two may be
// the one that does not.
//
//clmc:expect verified
//clmc:outcomes 0:ok=0 1:ok=1 n=1 | 0:ok=1 1:ok=0 n=1 | 0:ok=1 1:ok=1 n=2
package main

import "github.com/clmc/clmc/models/cl"

var n cl.AtomicInt

func main() {
	q := cl.CreateDeviceQueue(1)
	cl.EnqueueNDRangeKernel(func() {
		result := cl.EnqueueKernel(q, cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), func() {
			cl.AtomicFetchAddExplicit(&n, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		})
		cl.Observe("ok", result == cl.CLKSuccess)
	}, cl.NDRange1D(2, 1))
	cl.Finish()
	cl.Observe("n", cl.AtomicLoad(&n))
}
