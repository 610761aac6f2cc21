// Command grid has n work-items add to one location, each its own number, and
// look at what they get.
//
// Derivation: additions are not lost (rule 7.7), and a work-item that adds for
// the jth time gets at least what it has made of the location itself.
//
// A state is about how often each has added, and about nothing else: there are
// (rounds+1)^n of them, small ones. That makes it a benchmark of what keeps states.
//
//clmc:expect -D n=3 verified
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n      = 2
	rounds = 3
)

var x cl.AtomicInt

func count() {
	step := int32(cl.GetGlobalID(0)) + 1
	for j := range int32(rounds) {
		before := cl.AtomicFetchAddExplicit(&x, step, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.Assert(before >= j*step, "own additions count")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed) == rounds*n*(n+1)/2, "no addition was lost")
}
