// Command lastzero has n work-groups write neighbouring elements of an array,
// each one more than what it sees to its left, while one searches for the last
// zero from the right.
//
// Derivation: element 0 is never written, so the search ends; element j is
// written once, with at most j, by induction from left to right.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 4

var a [n + 1]cl.AtomicInt

func lastzero() {
	j := cl.GetGlobalID(0)
	if j == 0 {
		i := n
		for cl.AtomicLoadExplicit(&a[i], cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != 0 {
			i--
		}
		return
	}
	left := cl.AtomicLoadExplicit(&a[j-1], cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
	cl.Assert(int(left) < j, "element j is at most j")
	cl.AtomicStoreExplicit(&a[j], left+1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(lastzero, cl.NDRange1D(n+1, 1))
	cl.Finish()
}
