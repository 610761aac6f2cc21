// Command mp_release_acquire hands plain data to another work-group behind a
// flag that is released and acquired.
//
// Idiom: message passing (MP), the right way. Source: OpenCL 3.3.7.1.
//
// Derivation: the load that reads 1 acquires what the store released, both
// having device scope on one device (rules 6.1, 3.5); so the write of data
// happens before its read (rule 5.5) and is the visible side effect (rule 7.1).
//
//clmc:expect verified
//clmc:expect spec=2.0 verified
//clmc:expect spec=3.1 verified
//clmc:expect spec=popl16 verified
//clmc:expect spec=popl16-scoped verified
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
		if cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
			cl.Reachable("the flag was seen")
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 1))
	cl.Finish()
}
