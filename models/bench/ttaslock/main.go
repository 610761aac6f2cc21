// Command ttaslock protects a counter by a lock that is looked at before it is
// tried: test and test-and-set, without a bound on the number of tries.
//
// Derivation: the exchange that finds 0 reads the store of the one who left, or
// the initial value, and acquires what that one released (rule 6.1); no other
// exchange reads the same 0 (rule 7.7). With work-group scope that holds within a
// work-group only (rule 3.5); across work-groups lock and counter are raced for.
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
	if narrow == 1 {
		for cl.AtomicLoadExplicit(&lock, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup) != 0 {
		}
		return cl.AtomicExchangeExplicit(&lock, 1, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup) == 0
	}
	for cl.AtomicLoadExplicit(&lock, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) != 0 {
	}
	return cl.AtomicExchangeExplicit(&lock, 1, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0
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
