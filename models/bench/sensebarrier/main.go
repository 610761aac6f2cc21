// Command sensebarrier makes n work-groups wait for each other k times at a
// sense-reversing barrier built from atomics.
//
// Derivation: the last to arrive is the one whose decrement finds 1. Decrements
// are acq_rel read-modify-writes, so the last has acquired what all others
// released (rules 6.1, 7.7), and the others acquire it from its store of sense.
// So every write before the barrier happens before every read after it. A second
// barrier stands between the reads of one round and the writes of the next.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n = 2
	k = 1
)

var (
	missing = cl.AtomicVarInit[int32](n)
	sense   cl.AtomicInt
	data    [n]int32
)

func barrier(mine int32) {
	if cl.AtomicFetchSubExplicit(&missing, 1, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice) == 1 {
		cl.AtomicStoreExplicit(&missing, n, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.AtomicStoreExplicit(&sense, mine, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		return
	}
	for cl.AtomicLoadExplicit(&sense, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != mine {
	}
}

func meet() {
	i := cl.GetGlobalID(0)
	for r := range k {
		data[i] = int32(r) + 1
		barrier(1)
		cl.Assert(data[(i+1)%n] == int32(r)+1, "the neighbour has arrived")
		barrier(0)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(meet, cl.NDRange1D(n, 1))
	cl.Finish()
}
