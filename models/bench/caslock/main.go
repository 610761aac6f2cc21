// Command caslock protects a counter by a lock that is taken by
// compare-exchange.
//
// Derivation: the compare-exchange that succeeds reads the store of the one who
// left, or the initial value, and acquires what that one released (rule 6.1); no
// other reads the same 0 (rule 7.7), and one that fails writes nothing (rule
// 10.2). With work-group scope that holds within a work-group only (rule 3.5), and
// with sub-group scope within a sub-group; beyond it counter is raced for.
// The same goes for owner, which who=1 has instead.
//
//clmc:expect verified
//clmc:expect -D who=1 verified
//clmc:expect -D narrow=1 violated CL1001
//clmc:expect -D who=1 -D narrow=1 violated CL1001
//clmc:expect -D n=2 -D local=2 -D narrow=1 verified
//clmc:expect -D n=2 -D local=2 -D sub=1 -D narrow=1 verified
//clmc:expect -D n=2 -D local=2 -D sub=2 -D narrow=2 verified
//clmc:expect -D n=2 -D local=2 -D sub=1 -D narrow=2 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const (
	n      = 2 // work-items
	local  = 1 // work-items per work-group
	sub    = 4 // work-items per sub-group
	k      = 1 // rounds
	narrow = 0 // 1: the scope is memory_scope_work_group; 2: memory_scope_sub_group
	who    = 0 // 1: who is inside writes its id and reads it, as the programs for GenMC do, instead of counting
)

//cl:sub_group_size sub

var (
	lock    cl.AtomicInt
	counter int32
	owner   int32
)

func try(scope cl.MemoryScope) bool {
	expected := int32(0)
	return cl.AtomicCompareExchangeStrongExplicit(&lock, &expected, 1, cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed, scope)
}

// inside is what the lock protects.
func inside() {
	if who == 0 {
		counter++
		return
	}
	id := int32(cl.GetGlobalID(0))
	owner = id
	cl.Assert(owner == id, "nobody else is inside")
}

func rounds(scope cl.MemoryScope) {
	for range k {
		for !try(scope) {
		}
		inside()
		cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease, scope)
	}
}

func count() {
	switch narrow {
	case 0:
		rounds(cl.MemoryScopeDevice)
	case 1:
		rounds(cl.MemoryScopeWorkGroup)
	case 2:
		rounds(cl.MemoryScopeSubGroup)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(n, local))
	cl.Finish()
	cl.Assert(who == 1 || counter == n*k, "every entry was counted")
}
