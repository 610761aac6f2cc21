// Command slots has n work-items write the elements of an array in the order in which they come.
//
// Derivation: additions to one cell are in one order, each reads what the one before has written (rule 7.7), so places are given once.
//
//clmc:expect verified
//clmc:expect -D n=256 verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 16

var (
	next cl.AtomicInt
	out  [n]int32
)

func fill() {
	out[cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)] = 1
}

func main() {
	cl.EnqueueNDRangeKernel(fill, cl.NDRange1D(n, n))
	cl.Finish()
	for i := range n {
		cl.Assert(out[i] == 1, "each element is written")
	}
}
