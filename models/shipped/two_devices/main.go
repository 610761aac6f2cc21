// Command two_devices lets two devices count in one variable.
//
// Idiom: atomics of several devices, and scopes. Source: OpenCL 3.3.5, 3.3.7.5.
//
// Derivation: the kernels run at the same time on two devices (rule 12.21). In
// fine-grained SVM with atomics, all_svm_devices scope includes both (rules 2.8,
// 3.5), so nothing is lost (rule 7.7). With narrow=1 the scope is the device,
// which the two do not share: a race (rules 3.5, 9.2).
//
//clmc:expect verified
//clmc:expect -D narrow=1 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const narrow = 0

//cl:memory svm_fine_atomics
var counter cl.AtomicInt

func count() {
	if narrow == 1 {
		cl.AtomicFetchAddExplicit(&counter, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	} else {
		cl.AtomicFetchAddExplicit(&counter, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeAllSVMDevices)
	}
}

func main() {
	other := cl.CreateCommandQueue(1, 0)
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(1, 1))
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(1, 1), cl.OnQueue(other))
	cl.Finish()
	cl.Finish(other)
	cl.Assert(cl.AtomicLoad(&counter) == 2, "both have counted")
}
