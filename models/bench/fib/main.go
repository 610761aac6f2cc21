// Command fib has two work-groups replace x and y by their sum, n times each,
// while a third looks.
//
// Derivation: each sum adds a value that the work-group wrote itself, or a
// later one, to one of the other's. Values grow fastest when the two take
// turns, and 2n sums make them Fibonacci number 2n+2 at most: 144 for n = 5.
// A bound of one less is exceeded.
//
//clmc:expect -D n=2 -D bound=8 verified
//clmc:expect -D n=2 -D bound=7 violated CL1004
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n     = 3
	bound = 144
)

var (
	x = cl.AtomicVarInit[int32](1)
	y = cl.AtomicVarInit[int32](1)
)

func load(v *cl.AtomicInt) int32 {
	return cl.AtomicLoadExplicit(v, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
}

func fib() {
	switch cl.GetGlobalID(0) {
	case 0:
		for range n {
			a := load(&x)
			b := load(&y)
			cl.AtomicStoreExplicit(&x, a+b, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		}
	case 1:
		for range n {
			a := load(&x)
			b := load(&y)
			cl.AtomicStoreExplicit(&y, a+b, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		}
	case 2:
		within := load(&x) <= bound
		if within {
			within = load(&y) <= bound
		}
		cl.Assert(within, "the sums stay within the bound")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(fib, cl.NDRange1D(3, 1))
	cl.Finish()
}
