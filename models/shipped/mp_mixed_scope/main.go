// Command mp_mixed_scope releases with device scope and acquires with
// all_svm_devices scope, on coarse-grained SVM.
//
// Idiom: message passing (MP) with scopes that differ but both reach far
// enough. Source: OpenCL 3.3.7, "inclusive scope", of 3.0 and of 3.1.
//
// Derivation: up to 3.0 inclusive scope asks for the same scope on both sides
// (rule 3.5), so the flag does not synchronise and is itself raced for (rules
// 6.2, 9.1). 3.1 accepts wider scopes (rule 3.6); that all_svm_devices reaches
// only the device on this memory (rule 2.4) is then enough.
//
//clmc:expect violated CL1001
//clmc:expect spec=2.0 violated CL1001
//clmc:expect spec=popl16 violated CL1001
//clmc:expect spec=3.1 verified
package main

import "github.com/clmc/clmc/models/cl"

//cl:memory svm_coarse
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
