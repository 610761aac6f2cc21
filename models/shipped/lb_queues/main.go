// Command lb_queues is load buffering in which one kernel reads and the next one in its
// queue writes, while a kernel of another queue is running.
//
// Shape: load buffering (LB). Source: OpenCL 3.2.1 (command queues), 3.3.7.3.
//
// Derivation: nothing orders the load of x and the store of y in early, so that the
// store may come first. The store of x comes after the load of y, as its kernel comes
// after that of the load in an in-order queue (rule 12.5). Kernels of different queues
// may run at the same time. So all four outcomes are possible, r0=1 with r1=1 if the store
// of y comes before the load of x.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 0:r1=0 | 0:r0=0 0:r1=1 | 0:r0=1 0:r1=0 | 0:r0=1 0:r1=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func early() {
	cl.Observe("r0", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
	cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
}

func read()  { cl.Observe("r1", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed)) }
func write() { cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed) }

func main() {
	one, other := cl.NDRange1D(1, 1), cl.CreateCommandQueue(0, 0)
	cl.EnqueueNDRangeKernel(early, one)
	cl.EnqueueNDRangeKernel(read, one, cl.OnQueue(other))
	cl.EnqueueNDRangeKernel(write, one, cl.OnQueue(other))
	cl.Finish()
	cl.Finish(other)
}
