// Command ticketlock protects a counter by a lock that serves in order of
// arrival.
//
// Idiom: ticket lock. Source: OpenCL 3.3.7.1.
//
// Derivation: the read-modify-writes of next are atomic, so tickets are distinct
// (rule 7.7); they need no order. Who sees its ticket served reads the store of the
// one before, and acquires what it released (rule 6.1).
//
//clmc:expect verified
//clmc:expect -D n=3 verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 2

var (
	next, serving cl.AtomicInt
	counter       int32
)

func count() {
	ticket := cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	for cl.AtomicLoadExplicit(&serving, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != ticket {
	}
	counter++
	cl.AtomicStoreExplicit(&serving, ticket+1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(counter == n, "every work-item was counted")
}
