// Command host_flag_fine tries to hand a value from the host to a running kernel
// through fine-grained SVM that has no atomics.
//
// Idiom: host-to-device message passing while the kernel runs. Source: OpenCL 3.2.4
// and 3.3.7.1 (SVM and atomic operations of the host).
//
// Derivation: without CL_MEM_SVM_ATOMICS the host's atomics do not work with those of
// a kernel (rule 2.8): all_svm_devices means device (rule 2.4), and the host is
// on no device. The accesses of flag are concurrent updates of one location
// (rule 2.5): their scopes are not inclusive and nothing orders them, a race
// (rules 9.1, 9.2).
//
//clmc:expect violated CL1001
//clmc:expect spec=3.1 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

//cl:memory svm_fine
var (
	data int32
	flag cl.AtomicInt
)

func consumer() {
	if cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeAllSVMDevices) == 1 {
		cl.Reachable("the flag was seen")
		cl.Assert(data == 42, "the value arrived")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(consumer, cl.NDRange1D(1, 1))
	data = 42 // while the kernel may be running
	cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease)
	cl.Finish()
}
