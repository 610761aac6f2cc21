// Command two_kernels_atomics lets two kernels of one device count in one
// variable at the same time.
//
// Idiom: atomics between kernel-instances. Source: OpenCL 3.3.7.5, 3.3.5.
//
// Derivation: kernels enqueued by the host on two queues of one device may run
// at the same time (rule 12.21). On coarse-grained SVM their atomics of device
// scope work together (rules 2.9, 3.5). On a cl_mem buffer they are not
// guaranteed to: device scope covers one kernel-instance (rules 2.9, 3.5), and
// the accesses race (rule 9.2).
//
//clmc:expect verified
//clmc:expect -D buffer=1 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const buffer = 0

var coarse cl.AtomicInt

//cl:memory buffer
var plain cl.AtomicInt

func count() {
	if buffer == 1 {
		cl.AtomicFetchAddExplicit(&plain, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	} else {
		cl.AtomicFetchAddExplicit(&coarse, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
}

func main() {
	other := cl.CreateCommandQueue(0, 0)
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(1, 1))
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(1, 1), cl.OnQueue(other))
	cl.Finish()
	cl.Finish(other)
	if buffer == 0 {
		cl.Assert(cl.AtomicLoad(&coarse) == 2, "both have counted")
	}
}
