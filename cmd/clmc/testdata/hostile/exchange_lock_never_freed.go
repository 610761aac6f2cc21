// clmc explore -q --promises 0 --workers 2 --time-limit 200ms --max-states 500 FILE
package main

import "github.com/clmc/clmc/models/cl"

var (
	x, y cl.AtomicInt
)

func k0() {
	for cl.AtomicExchangeExplicit(&y, 1, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
	}
	for j := range 2 {
		_ = j
		cl.Observe("o3", cl.AtomicLoadExplicit(&y, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice))
	}
}
func main() {
	cl.EnqueueNDRangeKernel(k0, cl.NDRange1D(2, 1))
	cl.Finish()
}
