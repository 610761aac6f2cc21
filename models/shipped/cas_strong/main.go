// Command cas_strong has two work-items claim one slot: exactly one succeeds, and
// the other learns who did.
//
// Idiom: atomic_compare_exchange_strong. Source: OpenCL C 6.15.12.
//
// Derivation: a successful compare-exchange is a read-modify-write and reads its
// predecessor in modification order (rules 10.2, 7.7), so only one reads the initial
// 0. A strong one fails only on a different value (rule 10.3), which it writes back
// to expected (rule 10.2).
//
//clmc:expect verified
//clmc:outcomes 0:won=1 0:saw=0 1:won=0 1:saw=1 | 0:won=0 0:saw=2 1:won=1 1:saw=0
package main

import "github.com/clmc/clmc/models/cl"

var slot cl.AtomicInt

func claim() {
	expected := int32(0)
	me := int32(cl.GetGlobalID(0)) + 1
	won := cl.AtomicCompareExchangeStrongExplicit(&slot, &expected, me,
		cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	cl.Observe("won", won)
	cl.Observe("saw", expected)
}

func main() {
	cl.EnqueueNDRangeKernel(claim, cl.NDRange1D(2, 1))
	cl.Finish()
}
