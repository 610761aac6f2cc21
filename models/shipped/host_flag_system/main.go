// Command host_flag_system hands a value from the host to a running kernel through
// fine-grained system SVM.
//
// Idiom: host-to-device message passing while the kernel runs. Source: OpenCL 3.2.4
// and 3.3.7.1 (SVM and atomic operations of the host).
//
// Derivation: system SVM is consistent like a fine-grained buffer (rule 2.3) and
// takes atomics of the host (rule 2.8), so release and acquire of all_svm_devices
// scope synchronise (rules 3.5, 6.1) and order the accesses of data (rule 7.1).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

//cl:memory svm_system
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
