// Command cas_weak is cas_strong with weak compare-exchanges: both may fail.
//
// Idiom: atomic_compare_exchange_weak outside a loop. Source: OpenCL C 6.15.12.
//
// Derivation: a weak one may also fail on the expected value, which it then writes
// back (rule 10.3). The set is that of cas_strong with each failure on 0 added: one
// may win while the other fails reading 0, stale or spuriously (rule 7.2), and both
// may fail.
//
//clmc:expect verified
//clmc:outcomes 0:won=1 0:saw=0 1:won=0 1:saw=1 | 0:won=0 0:saw=2 1:won=1 1:saw=0
//clmc:outcomes 0:won=1 0:saw=0 1:won=0 1:saw=0 | 0:won=0 0:saw=0 1:won=1 1:saw=0
//clmc:outcomes 0:won=0 0:saw=0 1:won=0 1:saw=0
package main

import "github.com/clmc/clmc/models/cl"

var slot cl.AtomicInt

func claim() {
	expected := int32(0)
	me := int32(cl.GetGlobalID(0)) + 1
	won := cl.AtomicCompareExchangeWeakExplicit(&slot, &expected, me,
		cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	cl.Observe("won", won)
	cl.Observe("saw", expected)
}

func main() {
	cl.EnqueueNDRangeKernel(claim, cl.NDRange1D(2, 1))
	cl.Finish()
}
