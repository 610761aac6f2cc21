// Command progress_siblings has a child kernel wait for what its sibling writes.
//
// Idiom: device-side enqueue of kernels that run side by side. Source: OpenCL C 6.15.18;
// OpenCL 3.2.2 (rule 11.8); docs/liveness.md.
//
// Derivation: work-groups of child kernels hang below the device in the order in which the
// kernels were enqueued. The one that waits comes first: it may start alone, and is the
// lowest that can make a step when its parent has ended; so nothing but fair guarantees
// its sibling. If the sibling comes first (swap = 1), it is lower: hsa, hsa_obe, lobe and
// fair guarantee it, and obe does not, as it need not have started. If an enqueue fails
// the parent sets the flag itself, since nobody else would.
//
//clmc:expect verified
//clmc:expect liveness=unfair violated CL1020
//clmc:expect liveness=hsa violated CL1020
//clmc:expect liveness=obe violated CL1020
//clmc:expect liveness=hsa_obe violated CL1020
//clmc:expect liveness=lobe violated CL1020
//clmc:expect liveness=fair verified
//clmc:expect -D swap=1 verified
//clmc:expect -D swap=1 liveness=unfair violated CL1020
//clmc:expect -D swap=1 liveness=hsa verified
//clmc:expect -D swap=1 liveness=obe violated CL1020
//clmc:expect -D swap=1 liveness=hsa_obe verified
//clmc:expect -D swap=1 liveness=lobe verified
//clmc:expect -D swap=1 liveness=fair verified
package main

import "github.com/clmc/clmc/models/cl"

const swap = 0

var flag cl.AtomicInt

func set() { cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice) }

func wait() {
	for cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0 {
	}
}

func parent() {
	if swap == 0 {
		cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), wait)
	}
	if cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), set) != cl.CLKSuccess {
		set()
	}
	if swap == 1 {
		cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), wait)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	cl.Finish()
}
