// Command launch_narrow has a kernel behind another initialise elements of an array
// that its ids select, while the first counts in an element of its own.
//
// Derivation: the queue is in-order (rule 12.5): nothing races, whatever the second
// kernel was thought to access before it started.
//
//clmc:expect verified
//clmc:expect -D base=0 violated CL1004
package main

import "github.com/clmc/clmc/models/cl"

const base = 1

var a [3]cl.AtomicInt

func count() { cl.AtomicFetchAddExplicit(&a[0], 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) }

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(2, 1))
	cl.EnqueueNDRangeKernel(func() { cl.AtomicInit(&a[base+cl.GetGlobalID(0)], 5) }, cl.NDRange1D(2, 1))
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(1, 1))
	cl.Finish()
	cl.Assert(cl.AtomicLoad(&a[0]) == 3, "it counts three, unless it is initialised between")
}
