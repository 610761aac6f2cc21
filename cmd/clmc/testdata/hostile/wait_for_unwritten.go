// clmc explore -q --max-states 3 --por none --promises 0 FILE
package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

// k waits for what nobody has written, and does not come to it within the limit.
func k() {
	l := cl.Local[cl.AtomicInt]()
	for range 6 {
		cl.AtomicFetchAdd(&x, 1)
	}
	for cl.AtomicLoadExplicit(l, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup) == 0 {
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 2))
	cl.Finish()
}
