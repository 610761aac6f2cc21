// clmc explore -q --por sleep --spec 2.0 --time-limit 200ms --max-states 500 --mem 32MiB FILE
//
// There is no way out, and the lists of messages grow on the way: looking on took 11 s.
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
	i := int32(cl.GetGlobalID(0))
	_ = i
	cl.Observe("o1", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup))
	for j := range 2 {
		_ = j
		for cl.AtomicExchangeExplicit(&y, 1, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
		}
		if r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderSeqCst, cl.MemoryScopeAllSVMDevices); r != 1 {
			cl.AtomicStoreExplicit(&y, 0, cl.MemoryOrderSeqCst, cl.MemoryScopeWorkGroup)
		}
	}
}
func k1() {
	i := int32(0)
	_ = i
	r6 := cl.AtomicExchangeExplicit(&x, 0, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	_ = r6
	for cl.AtomicExchangeExplicit(&y, 1, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
	}
	for cl.AtomicExchangeExplicit(&y, 1, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
	}
}
func main() {
	cl.EnqueueNDRangeKernel(k1, cl.NDRange1D(4, 4))
	cl.Finish()
	cl.EnqueueNDRangeKernel(k0, cl.NDRange1D(3, 1))
	cl.Finish()
}
