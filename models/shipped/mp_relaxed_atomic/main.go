// Command mp_relaxed_atomic hands over data that is atomic itself, with relaxed
// operations only: no race, but the data may be stale.
//
// Idiom: message passing (MP), all relaxed. Source: OpenCL 3.3.7.1.
//
// Derivation: all accesses are atomic and of one scope, so none race (rule
// 9.1). The load of data is ordered by nothing after the store of data, so it
// may return 0 even when the flag was seen (rule 7.2).
//
//clmc:expect verified
//clmc:outcomes 1:flag=0 1:data=0 | 1:flag=0 1:data=1 | 1:flag=1 1:data=0 | 1:flag=1 1:data=1
package main

import "github.com/clmc/clmc/models/cl"

var data, flag cl.AtomicInt

func mp() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&data, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	case 1:
		cl.Observe("flag", cl.AtomicLoadExplicit(&flag, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
		cl.Observe("data", cl.AtomicLoadExplicit(&data, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 1))
	cl.Finish()
}
