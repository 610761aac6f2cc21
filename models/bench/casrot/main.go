// Command casrot has n work-groups compare-exchange one location, number i
// from i to i+1: each needs the one before, and fails without it.
//
// Derivation: only work-group 0 takes x away from 0, so its compare-exchange
// succeeds in every execution, and each value up to n is written at most once
// (rules 7.7, 10.2). Who fails writes nothing.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 4

var x cl.AtomicInt

func rotate() {
	i := int32(cl.GetGlobalID(0))
	expected := i
	cl.AtomicCompareExchangeStrongExplicit(&x, &expected, i+1,
		cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(rotate, cl.NDRange1D(n, 1))
	cl.Finish()
	v := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed)
	cl.Assert(1 <= v && v <= n, "the first succeeded")
}
