// Command ticketlock_relaxed is ticketlock that waits with relaxed loads.
//
// Idiom: a wait that sees the turn but does not acquire. Source: OpenCL 3.3.7.1.
//
// Derivation: a relaxed load acquires nothing (rule 3.1): counter is raced for
// (rule 9.1). An acquire fence after the wait mends it (rule 6.5).
//
//clmc:expect violated CL1001
//clmc:expect -D fenced=true verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n      = 2
	fenced = false
)

var (
	next, serving cl.AtomicInt
	counter       int32
)

func count() {
	ticket := cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	for cl.AtomicLoadExplicit(&serving, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) != ticket {
	}
	if fenced {
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
	}
	counter++
	cl.AtomicStoreExplicit(&serving, ticket+1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(counter == n, "every work-item was counted")
}
