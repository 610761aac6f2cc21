// Command launch_thrice runs a kernel three times, and then another that is not atomic.
//
// Derivation: the queue is in-order (rule 12.5): nothing races.
//
//clmc:expect verified
//clmc:expect -D last=0 verified
package main

import "github.com/clmc/clmc/models/cl"

const last = 1

var x cl.AtomicInt

func add() { cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) }

func main() {
	cl.EnqueueNDRangeKernel(add, cl.NDRange1D(2, 1))
	cl.EnqueueNDRangeKernel(add, cl.NDRange1D(1, 1))
	cl.EnqueueNDRangeKernel(add, cl.NDRange1D(2, 2))
	if last == 1 {
		cl.EnqueueNDRangeKernel(func() { cl.AtomicInit(&x, 3) }, cl.NDRange1D(1, 1))
	}
	cl.Finish()
	cl.Assert(cl.AtomicLoad(&x) == 5-2*last, "all have run")
}
