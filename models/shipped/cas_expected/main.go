// Command cas_expected keeps the expected value of a compare-exchange in memory
// that two work-items share.
//
// Idiom: expected is written back on failure, by an ordinary store. Source: OpenCL
// C 6.15.12.
//
// Derivation: both compare-exchanges fail, and each writes *expected
// non-atomically (rule 10.2): a data race (rule 9.1). With an expected value of its
// own, each work-item only loads the location (rule 9.2: failures are reads).
//
//clmc:expect violated CL1001
//clmc:expect -D shared=false verified
package main

import "github.com/clmc/clmc/models/cl"

const shared = true

var (
	x        cl.AtomicInt
	expected = [2]int32{7, 7}
)

func kernel() {
	i := cl.GetGlobalID(0)
	if shared {
		i = 0
	}
	cl.AtomicCompareExchangeStrongExplicit(&x, &expected[i], 8,
		cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	cl.Assert(expected[i] == 0, "the value of x was written back")
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
