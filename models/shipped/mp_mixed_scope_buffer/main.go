// Command mp_mixed_scope_buffer is mp_mixed_scope on a cl_mem buffer.
//
// Idiom: message passing (MP) with all_svm_devices scope on memory that is not
// SVM. Source: OpenCL 3.3.5, 3.3.7.
//
// Derivation: on a buffer, all_svm_devices is treated as device scope (rule
// 2.4), so both sides have device scope, within one kernel-instance (rule 3.5):
// the flag synchronises (rule 6.1). The published models have no kinds of
// memory and see two different scopes.
//
//clmc:expect verified
//clmc:expect spec=3.1 verified
//clmc:expect spec=popl16 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

//cl:memory buffer
var (
	data int32
	flag cl.AtomicInt
)

func mp() {
	switch cl.GetGlobalID(0) {
	case 0:
		data = 42
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	case 1:
		if cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeAllSVMDevices) == 1 {
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 1))
	cl.Finish()
}
