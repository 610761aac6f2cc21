// Command ainc has n work-groups add 1 to one counter, once each, without
// looking at the result.
//
// Derivation: each addition reads its predecessor in modification order (rule
// 7.7), so none is lost. All orders lead to the same counter.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 4

var x cl.AtomicInt

func add() {
	cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(add, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed) == n, "no addition was lost")
}
