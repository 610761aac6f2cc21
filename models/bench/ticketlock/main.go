// Command ticketlock protects a counter by a lock that serves in order of
// arrival, k times for each of n work-items.
//
// Derivation: the read-modify-writes of next are atomic, so tickets are distinct
// (rule 7.7); they need no order. Who sees its ticket served reads the store of
// the one before, and acquires what it released (rule 6.1). With work-group scope
// that holds within a work-group only, since the scopes of the two operations
// must include both work-items (rule 3.5); across work-groups counter is raced for.
//
//clmc:expect verified
//clmc:expect -D k=2 verified
//clmc:expect -D narrow=1 violated CL1001
//clmc:expect -D n=2 -D local=2 -D narrow=1 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n      = 2 // work-items
	local  = 1 // work-items per work-group
	k      = 1 // rounds
	narrow = 0 // 1: the scope is memory_scope_work_group
)

var (
	next, serving cl.AtomicInt
	counter       int32
)

func await(ticket int32) {
	if narrow == 1 {
		for cl.AtomicLoadExplicit(&serving, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup) != ticket {
		}
		return
	}
	for cl.AtomicLoadExplicit(&serving, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != ticket {
	}
}

func serve(ticket int32) {
	if narrow == 1 {
		cl.AtomicStoreExplicit(&serving, ticket, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
		return
	}
	cl.AtomicStoreExplicit(&serving, ticket, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func count() {
	for range k {
		ticket := cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		await(ticket)
		counter++
		serve(ticket + 1)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(n, local))
	cl.Finish()
	cl.Assert(counter == n*k, "every entry was counted")
}
