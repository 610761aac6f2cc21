// Command tickets has n work-groups draw a number each: the results are
// observed.
//
// Derivation: the numbers are distinct (rule 7.7), in any order: n! outcomes.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 3

var x cl.AtomicInt

func draw() {
	cl.Observe("x", cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
}

func main() {
	cl.EnqueueNDRangeKernel(draw, cl.NDRange1D(n, 1))
	cl.Finish()
}
