// Command host_flag_coarse tries to hand a value from the host to a running kernel
// through coarse-grained SVM.
//
// Idiom: host-to-device message passing while the kernel runs. Source: OpenCL 3.2.4
// and 3.3.7.1 (SVM and atomic operations of the host).
//
// Derivation: coarse-grained SVM is consistent at synchronisation points of commands
// only, whatever atomics are used (rule 2.2), and all_svm_devices reaches only the
// device (rule 2.4). The store of flag and its load, in a kernel that runs
// meanwhile, are a race (rules 9.1, 9.2).
//
//clmc:expect violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

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
