// Command sbring is store buffering in a ring: each of n work-groups writes its
// own location and reads its neighbour's. The results are observed.
//
// Derivation: relaxed reads see 0 or 1, independently: 2^n outcomes.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 3

var x [n]cl.AtomicInt

func ring() {
	i := cl.GetGlobalID(0)
	cl.AtomicStoreExplicit(&x[i], 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	cl.Observe("x", cl.AtomicLoadExplicit(&x[(i+1)%n], cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
}

func main() {
	cl.EnqueueNDRangeKernel(ring, cl.NDRange1D(n, 1))
	cl.Finish()
}
