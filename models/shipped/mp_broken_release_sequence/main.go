// Command mp_broken_release_sequence has a third work-item write the flag
// between the release and the writer's next, relaxed store.
//
// Idiom: message passing (MP) over a release sequence that another store breaks.
// Source: OpenCL 3.3.7, "release sequence".
//
// Derivation: the writer's own relaxed store continues its release sequence
// (rule 5.4), so without the third work-item the load that reads 2 acquires
// (rule 6.1). The store of 3 may fall between 1 and 2 in modification order, even
// after 2 has been read: then 2 belongs to no release sequence, and data is raced
// for (rule 9.1).
//
//clmc:expect violated CL1001
//clmc:expect -D interrupted=false verified
package main

import "github.com/clmc/clmc/models/cl"

const interrupted = true

var (
	data int32
	flag cl.AtomicInt
)

func mp() {
	switch cl.GetGlobalID(0) {
	case 0:
		data = 42
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		cl.AtomicStoreExplicit(&flag, 2, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	case 1:
		if cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 2 {
			cl.Assert(data == 42, "the value arrived")
		}
	case 2:
		if interrupted {
			cl.AtomicStoreExplicit(&flag, 3, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(3, 1))
	cl.Finish()
}
