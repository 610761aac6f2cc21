// Command progress_persistent has a kernel run until the host tells it to stop.
//
// Idiom: a persistent kernel. Source: OpenCL 3.2.2 (rule 11.8), 3.3.5 (fine-grained SVM
// with atomics); docs/liveness.md.
//
// Derivation: host threads are always fair, so that stop is set under every model, and
// read (rule 7.9). With meet = 1 the host waits until both work-groups have come: the
// first to come goes round until then, and the other one need not start unless all are
// guaranteed.
//
//clmc:expect verified
//clmc:expect liveness=unfair verified
//clmc:expect liveness=hsa verified
//clmc:expect liveness=obe verified
//clmc:expect liveness=hsa_obe verified
//clmc:expect liveness=lobe verified
//clmc:expect liveness=fair verified
//clmc:expect liveness=hsa fairness=strong verified
//clmc:expect liveness=obe fairness=strong verified
//clmc:expect liveness=hsa_obe fairness=strong verified
//clmc:expect liveness=lobe fairness=strong verified
//clmc:expect liveness=fair fairness=strong verified
//clmc:expect liveness=opencl verified
//clmc:expect -D meet=1 verified
//clmc:expect -D meet=1 liveness=unfair violated CL1020
//clmc:expect -D meet=1 liveness=hsa violated CL1020
//clmc:expect -D meet=1 liveness=obe violated CL1020
//clmc:expect -D meet=1 liveness=hsa_obe violated CL1020
//clmc:expect -D meet=1 liveness=lobe violated CL1020
//clmc:expect -D meet=1 liveness=fair verified
//clmc:expect -D meet=1 liveness=hsa fairness=strong violated CL1020
//clmc:expect -D meet=1 liveness=obe fairness=strong violated CL1020
//clmc:expect -D meet=1 liveness=hsa_obe fairness=strong violated CL1020
//clmc:expect -D meet=1 liveness=lobe fairness=strong violated CL1020
//clmc:expect -D meet=1 liveness=fair fairness=strong verified
package main

import "github.com/clmc/clmc/models/cl"

const meet = 0

//cl:memory svm_fine_atomics
var come, stop cl.AtomicInt

const all = cl.MemoryScopeAllSVMDevices

func k() {
	cl.AtomicFetchAddExplicit(&come, 1, cl.MemoryOrderRelaxed, all)
	for cl.AtomicLoadExplicit(&stop, cl.MemoryOrderAcquire, all) == 0 {
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Flush()
	if meet == 1 {
		for cl.AtomicLoadExplicit(&come, cl.MemoryOrderRelaxed, all) != 2 {
		}
	}
	cl.AtomicStoreExplicit(&stop, 1, cl.MemoryOrderRelease, all)
	cl.Finish()
}
