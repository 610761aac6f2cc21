// Command szymanski has two work-groups enter a critical section n times each
// by Szymanski's algorithm.
//
// Derivation: a seq_cst fence stands between each write of a flag and the next
// read of the other, which makes the flags sequentially consistent (rule 8.6), and
// for such flags the algorithm is known to be right. Who enters has read a value
// that the other stored after leaving, with release and acquire, so the critical
// sections are ordered by happens-before (rule 6.1).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 1

var (
	flags   [2]cl.AtomicInt
	counter int32
)

func load(v *cl.AtomicInt) int32 {
	return cl.AtomicLoadExplicit(v, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
}

func store(v *cl.AtomicInt, value int32) {
	cl.AtomicStoreExplicit(v, value, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice)
}

func enter() {
	me := cl.GetGlobalID(0)
	mine := &flags[me]
	other := &flags[1-me]
	for range n {
		store(mine, 1)
		for load(other) >= 3 {
		}
		store(mine, 3)
		if load(other) == 1 {
			store(mine, 2)
			for load(other) != 4 {
			}
		}
		store(mine, 4)
		if me == 1 {
			for load(other) >= 2 {
			}
		}
		counter++
		if me == 0 {
			for {
				v := load(other)
				if v != 2 && v != 3 {
					break
				}
			}
		}
		store(mine, 0)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(enter, cl.NDRange1D(2, 1))
	cl.Finish()
	cl.Assert(counter == 2*n, "every entry was counted")
}
