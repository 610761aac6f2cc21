// Command wrrd has n work-groups write one location and n others read it: the
// results are observed.
//
// Derivation: each reader sees the initial value or any of those written (rule
// 7.2): (n+1)^n outcomes.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 2

var x cl.AtomicInt

func access() {
	i := cl.GetGlobalID(0)
	if i < n {
		cl.AtomicStoreExplicit(&x, int32(i)+1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		return
	}
	cl.Observe("x", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
}

func main() {
	cl.EnqueueNDRangeKernel(access, cl.NDRange1D(2*n, 1))
	cl.Finish()
}
