// clmc explore -q --all FILE
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func k0() {
	r1 := cl.AtomicExchange(&x, 1)
	_ = r1
	for cl.AtomicExchangeExplicit(&y, 1, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
	}
	if r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire, cl.MemoryScopeSubGroup); r > 0 {
		r4 := cl.AtomicExchangeExplicit(&x, 2, cl.MemoryOrderAcquire, cl.MemoryScopeSubGroup)
		_ = r4
	}
}
func main() {
	cl.EnqueueNDRangeKernel(k0, cl.NDRange1D(3, 3))
	cl.Finish()
}
