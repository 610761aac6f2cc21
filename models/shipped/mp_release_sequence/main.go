// Command mp_release_sequence passes a released flag through somebody else's
// relaxed read-modify-write.
//
// Idiom: message passing (MP) over a release sequence. Source: OpenCL 3.3.7,
// "release sequence".
//
// Derivation: a read-modify-write by anyone continues the release sequence that
// the store heads (rule 5.4); the load that reads 2 reads an element of it and
// acquires what the store released (rule 6.1).
//
//clmc:expect verified
//clmc:expect spec=popl16 verified
package main

import "github.com/clmc/clmc/models/cl"

var (
	data int32
	flag cl.AtomicInt
)

func mp() {
	switch cl.GetGlobalID(0) {
	case 0:
		data = 42
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	case 1:
		cl.AtomicFetchAddExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	case 2:
		if cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 2 {
			cl.Reachable("both have written the flag")
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(3, 1))
	cl.Finish()
}
