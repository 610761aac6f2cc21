// Command ticketlock protects a counter by a lock that serves in order of
// arrival, k times for each of n work-items.
//
// Derivation: the read-modify-writes of next are atomic, so tickets are distinct
// (rule 7.7); they need no order. Who sees its ticket served reads the store of
// the one before, and acquires what it released (rule 6.1). With work-group scope
// that holds within a work-group only, and with sub-group scope within a sub-group,
// since the scopes of the two operations must include both work-items (rule 3.5);
// beyond it counter is raced for.
// The same goes for owner, which who=1 has instead.
//
//clmc:expect verified
//clmc:expect -D k=2 verified
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
	next, serving cl.AtomicInt
	counter       int32
	owner         int32
)

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
		ticket := cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		for cl.AtomicLoadExplicit(&serving, cl.MemoryOrderAcquire, scope) != ticket {
		}
		inside()
		cl.AtomicStoreExplicit(&serving, ticket+1, cl.MemoryOrderRelease, scope)
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
