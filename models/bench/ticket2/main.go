// Command ticket2 has n work-items take a ticket lock in turn, each adding 1 to two atomic cells under it, by a load and a store.
//
// Derivation: who has the ticket that is served has acquired what the one before stored with release (rule 6.1), so it reads what that
// one has written, and nothing older (rule 7.3).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 2

var next, serving, sum, last cl.AtomicUint

func add(x *cl.AtomicUint) {
	old := cl.AtomicLoadExplicit(x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	cl.AtomicStoreExplicit(x, old+1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func work() {
	ticket := cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	for cl.AtomicLoadExplicit(&serving, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != ticket {
	}
	add(&sum)
	add(&last)
	cl.AtomicStoreExplicit(&serving, ticket+1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(work, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(cl.AtomicLoadExplicit(&sum, cl.MemoryOrderRelaxed) == n, "each has added")
}
