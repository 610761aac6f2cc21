// Command caslock protects a counter by a lock that is taken by
// compare-exchange.
//
// Derivation: the compare-exchange that succeeds reads the store of the one who
// left, or the initial value, and acquires what that one released (rule 6.1); no
// other reads the same 0 (rule 7.7), and one that fails writes nothing (rule
// 10.2). With work-group scope that holds within a work-group only (rule 3.5);
// across work-groups counter is raced for.
//
//clmc:expect verified
//clmc:expect -D narrow=1 violated CL1001
//clmc:expect -D n=2 -D local=2 -D narrow=1 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n      = 2 // work-items
	local  = 1 // work-items per work-group
	k      = 1 // rounds
	narrow = 0 // 1: the scope is memory_scope_work_group
)

var (
	lock    cl.AtomicInt
	counter int32
)

func try() bool {
	expected := int32(0)
	if narrow == 1 {
		return cl.AtomicCompareExchangeStrongExplicit(&lock, &expected, 1,
			cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
	}
	return cl.AtomicCompareExchangeStrongExplicit(&lock, &expected, 1,
		cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func leave() {
	if narrow == 1 {
		cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
		return
	}
	cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func count() {
	for range k {
		for !try() {
		}
		counter++
		leave()
	}
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(n, local))
	cl.Finish()
	cl.Assert(counter == n*k, "every entry was counted")
}
