// Command race_atomic_scope has two work-groups add to one counter with
// work-group scope: atomic operations, and yet a race.
//
// Idiom: a scope too narrow on a relaxed atomic. Source: OpenCL 3.3.7, "data
// race".
//
// Derivation: conflicting atomics race unless their scopes are inclusive (rules
// 9.1, 9.2), and work-group scope is not between two groups (rule 3.5).
//
//clmc:expect violated CL1001
//clmc:expect -D localSize=2 verified
package main

import "github.com/clmc/clmc/models/cl"

const localSize = 1

var counter cl.AtomicInt

func count() {
	cl.AtomicFetchAddExplicit(&counter, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(2, localSize))
	cl.Finish()
	cl.Assert(cl.AtomicLoadExplicit(&counter, cl.MemoryOrderRelaxed) == 2, "both were counted")
}
