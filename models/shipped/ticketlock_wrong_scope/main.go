// Command ticketlock_wrong_scope is ticketlock that serves with work-group
// scope, contended for by two work-groups.
//
// Idiom: a lock of too narrow a scope. Source: OpenCL 3.3.7.
//
// Derivation: the accesses of serving have scopes that are not inclusive (rule
// 3.5): they race (rule 9.2) and order nothing (rule 6.2).
//
//clmc:expect violated CL1001
//clmc:expect -D localSize=2 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n         = 2
	localSize = 1
)

var (
	next, serving cl.AtomicInt
	counter       int32
)

func count() {
	ticket := cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	for cl.AtomicLoadExplicit(&serving, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup) != ticket {
	}
	counter++
	cl.AtomicStoreExplicit(&serving, ticket+1, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(n, localSize))
	cl.Finish()
	cl.Assert(counter == n, "every work-item was counted")
}
