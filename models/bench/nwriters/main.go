// Command nwriters has n work-groups store different values to one location
// that nobody reads.
//
// Derivation: atomic accesses do not race (rule 9.1), and nothing is asserted.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 4

var x cl.AtomicInt

func write() {
	cl.AtomicStoreExplicit(&x, int32(cl.GetGlobalID(0))+1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(write, cl.NDRange1D(n, 1))
	cl.Finish()
}
