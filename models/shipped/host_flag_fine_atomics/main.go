// Command host_flag_fine_atomics hands a value from the host to a running kernel
// through fine-grained SVM with atomics.
//
// Idiom: host-to-device message passing while the kernel runs. Source: OpenCL 3.2.4
// and 3.3.7.1 (SVM and atomic operations of the host).
//
// Derivation: memory is consistent per byte (rule 2.3), and with CL_MEM_SVM_ATOMICS
// atomics of host and kernel work together, the host's at all_svm_devices scope
// (rule 2.8). So the scopes are the same and inclusive (rule 3.5), release and
// acquire synchronise (rule 6.1), and data is read after it was written (rules
// 5.5, 7.1).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

//cl:memory svm_fine_atomics
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
