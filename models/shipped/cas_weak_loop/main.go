// Command cas_weak_loop increments a counter by weak compare-exchanges in a loop.
//
// Idiom: a read-modify-write that OpenCL does not have, built from
// compare_exchange_weak. Source: OpenCL C 6.15.12.
//
// Derivation: every success reads its predecessor in modification order (rule
// 7.7), so no increment is lost; failures, spurious ones too, only go round again
// (rule 10.3).
//
//clmc:expect verified
//clmc:expect -D n=3 verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 2

var counter cl.AtomicInt

func count() {
	old := cl.AtomicLoadExplicit(&counter, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	for !cl.AtomicCompareExchangeWeakExplicit(&counter, &old, old+1,
		cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) {
	}
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(cl.AtomicLoadExplicit(&counter, cl.MemoryOrderRelaxed) == n, "no increment was lost")
}
