// Command readers has one work-group write a location that n others read,
// without looking at what they read.
//
// Derivation: atomic accesses do not race (rule 9.1), and nothing is asserted.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 4

var x cl.AtomicInt

func access() {
	if cl.GetGlobalID(0) == 0 {
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		return
	}
	cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(access, cl.NDRange1D(n+1, 1))
	cl.Finish()
}
