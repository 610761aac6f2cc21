// Command chain hands plain data through n work-groups, each of which releases
// its flag if it has acquired the one before.
//
// Derivation: happens-before is transitive (rule 5.5), so at the end of the chain
// the write of the data happens before its read.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 3

var (
	data  int32
	flags [n]cl.AtomicInt
)

func pass() {
	i := cl.GetGlobalID(0)
	if i == 0 {
		data = 42
	} else if cl.AtomicLoadExplicit(&flags[i-1], cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0 {
		return
	}
	if i == n-1 {
		cl.Assert(data == 42, "the value arrived")
	}
	cl.AtomicStoreExplicit(&flags[i], 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(pass, cl.NDRange1D(n, 1))
	cl.Finish()
}
