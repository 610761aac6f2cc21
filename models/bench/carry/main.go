// Command carry is a histogram whose bins hold two bits: n work-items count in b bins, and who finds one full carries to another array.
//
// Derivation: additions to a bin are in one order (rule 7.7); of each four one reads 3, and carries 4, which the bin loses.
//
//clmc:expect verified
//clmc:expect -D n=32 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n = 8
	b = 2
)

var bins, over [b]cl.AtomicUint

func count() {
	bin := cl.GetGlobalID(0) % b
	if cl.AtomicFetchAddExplicit(&bins[bin], 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)&3 == 3 {
		cl.AtomicFetchAddExplicit(&over[bin], 4, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(n, n))
	cl.Finish()
	for i := range b {
		cl.Assert(cl.AtomicLoad(&bins[i])&3+cl.AtomicLoad(&over[i]) == n/b, "nothing is lost")
	}
}
