// Command msgpass has n producers hand plain data to m consumers, each behind a
// flag of its own.
//
// Derivation: who reads a flag as 1 acquires what its producer released (rule
// 6.1), so the write of the data happens before its read; who reads 0 does not
// touch the data.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n = 2
	m = 1
)

var (
	data  [n]int32
	flags [n]cl.AtomicInt
)

func pass() {
	i := cl.GetGlobalID(0)
	if i < n {
		data[i] = int32(i) + 1
		cl.AtomicStoreExplicit(&flags[i], 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		return
	}
	for p := range n {
		if cl.AtomicLoadExplicit(&flags[p], cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
			cl.Assert(data[p] == int32(p)+1, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(pass, cl.NDRange1D(n+m, 1))
	cl.Finish()
}
