// Command binc has n work-groups add 1 to one counter and then to another,
// without looking at the results.
//
// Derivation: as ainc, for each counter by itself (rule 7.7).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 3

var x, y cl.AtomicInt

func add() {
	cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	cl.AtomicFetchAddExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(add, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed) == n, "no addition to x was lost")
	cl.Assert(cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed) == n, "no addition to y was lost")
}
