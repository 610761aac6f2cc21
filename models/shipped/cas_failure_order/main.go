// Command cas_failure_order reads data after a compare-exchange that fails.
//
// Idiom: the second order of atomic_compare_exchange. Source: OpenCL C 6.15.12.
//
// Derivation: a failed compare-exchange is a load with the failure order (rule
// 10.2). Relaxed, it acquires nothing, and data is raced for (rule 9.1) although
// the success order is acquire; with an acquire failure order it synchronises (rule
// 6.1).
//
//clmc:expect violated CL1001
//clmc:expect -D acquire=true verified
package main

import "github.com/clmc/clmc/models/cl"

const acquire = false

var (
	data int32
	flag cl.AtomicInt
)

func peek() int32 {
	expected := int32(7) // never there: the exchange always fails
	if acquire {
		cl.AtomicCompareExchangeStrongExplicit(&flag, &expected, 8,
			cl.MemoryOrderAcquire, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
	} else {
		cl.AtomicCompareExchangeStrongExplicit(&flag, &expected, 8,
			cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
	return expected
}

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		data = 42
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	case 1:
		if peek() == 1 {
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
