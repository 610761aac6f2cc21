// clmc explore --all FILE
//
// What comes after a data race fails in the step that races, and is then the consequence of another race.
package main

import "github.com/clmc/clmc/models/cl"

var (
	a, b int32
	v    [4]int32
	x, y cl.AtomicInt
	u    cl.AtomicUint
	f    cl.AtomicFlag
)

func k0() {
	i := int32(cl.GetGroupID(0))
	_ = i
	a = 2
	if r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeSubGroup); r < 1 {
		if r := cl.AtomicExchangeExplicit(&x, 2, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice); r != 0 {
			cl.AtomicStoreExplicit(&y, 0, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
			cl.Assert(v[0] < 2, "s5")
		}
		cl.Assert(cl.AtomicExchangeExplicit(&x, 1, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice) > 2, "s6")
	}
}
func main() {
	a = 2
	cl.Finish()
	cl.EnqueueNDRangeKernel(k0, cl.NDRange1D(4, 4))
	cl.Finish()
}
