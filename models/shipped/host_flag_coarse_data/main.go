// Command host_flag_coarse_data hands a value in coarse-grained SVM from the host to a
// running kernel by a flag in fine-grained SVM with atomics.
//
// Idiom: host-to-device message passing while the kernel runs. Source: OpenCL 3.2.4
// and 3.3.7.1 (SVM and atomic operations of the host).
//
// Derivation: the flag synchronises (rules 2.8, 6.1), but accesses of coarse-grained
// memory are ordered by commands of the host only (rules 2.2, 12.21), and the
// kernel was enqueued before data was written. The write of data and its read
// are a race (rule 9.1).
//
//clmc:expect violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

var data int32

//cl:memory svm_fine_atomics
var flag cl.AtomicInt

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
