// Command dekker has two work-groups enter a critical section n times each by
// Dekker's algorithm, with seq_cst fences.
//
// Derivation: of two that compete, the fence that comes second in the total
// order makes its work-group see the other's flag (rule 8.6), so not both pass.
// Who enters has read the flag that the other lowered with release, and
// acquires that (rule 6.1).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 1

var (
	flags   [2]cl.AtomicInt
	turn    cl.AtomicInt
	counter int32
)

func load(v *cl.AtomicInt) int32 {
	return cl.AtomicLoadExplicit(v, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
}

func store(v *cl.AtomicInt, value int32) {
	cl.AtomicStoreExplicit(v, value, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func raise(flag *cl.AtomicInt) {
	store(flag, 1)
	cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice)
}

func enter() {
	me := cl.GetGlobalID(0)
	mine := &flags[me]
	other := &flags[1-me]
	for range n {
		raise(mine)
		for load(other) == 1 {
			if load(&turn) != int32(me) {
				store(mine, 0)
				for load(&turn) != int32(me) {
				}
				raise(mine)
			}
		}
		counter++
		store(&turn, int32(1-me))
		store(mine, 0)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(enter, cl.NDRange1D(2, 1))
	cl.Finish()
	cl.Assert(counter == 2*n, "every entry was counted")
}
