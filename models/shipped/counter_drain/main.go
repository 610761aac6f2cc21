// Command counter_drain takes what work-items have counted so far, while they go on
// counting.
//
// Idiom: statistics that one work-item collects and sets back. A counter is read by
// adding 0, as in OpenCL 1.x, which had no atomic load. Source: OpenCL 3.0 section
// 6.15.12.7, and 3.3.6 (modification order).
//
// Derivation: read-modify-writes read each other's values in turn (rule 7.7). So with an
// exchange each addition is either before it, and in what is taken, or behind it, and in
// what is left. A store after an addition of 0 is not part of that chain: another
// work-item's addition may come between the two in modification order, as it is ordered
// with neither (rules 7.3 to 7.6), and is in neither.
//
//clmc:expect verified
//clmc:expect -D exchange=false violated CL1004
package main

import "github.com/clmc/clmc/models/cl"

const (
	n        = 2 // work-items that count
	exchange = true
)

var (
	count cl.AtomicInt
	taken int32
)

func work() {
	switch {
	case cl.GetGlobalID(0) > 0:
		cl.AtomicFetchAddExplicit(&count, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	case exchange:
		taken = cl.AtomicExchangeExplicit(&count, 0, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	default:
		taken = cl.AtomicFetchAddExplicit(&count, 0, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.AtomicStoreExplicit(&count, 0, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(work, cl.NDRange1D(n+1, 1))
	cl.Finish()
	left := cl.AtomicLoadExplicit(&count, cl.MemoryOrderRelaxed)
	cl.Assert(taken+left == n, "each addition is in what is taken or in what is left")
}
