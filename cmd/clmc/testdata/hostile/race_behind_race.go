// clmc explore --all FILE
package main

import "github.com/clmc/clmc/models/cl"

var (
	v    [2]int32
	x, y cl.AtomicInt
)

func k0() {
	cl.AtomicStoreExplicit(&x, 2, cl.MemoryOrderSeqCst, cl.MemoryScopeWorkGroup)
	for j := range 1 {
		_ = j
		r3 := cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup)
		_ = r3
	}
	cl.Assert(v[0] > 1, "s4")
}
func main() {
	cl.EnqueueNDRangeKernel(k0, cl.NDRange1D(2, 1))
	cl.AtomicStore(&x, 1)
}
