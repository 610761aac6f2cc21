// Command mp_one_sided releases the flag without acquiring it, or the reverse.
//
// Idiom: message passing (MP) with half of the synchronisation missing. Source:
// OpenCL 3.3.7.1.
//
// Derivation: synchronisation needs a release and an acquire (rule 6.1); with
// either missing the accesses of data are unordered (rule 9.1).
//
//clmc:expect violated CL1001
//clmc:expect -D releases=false -D acquires=true violated CL1001
//clmc:expect -D acquires=true verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	releases = true
	acquires = false
)

var (
	data int32
	flag cl.AtomicInt
)

func publish() {
	if releases {
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	} else {
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
}

func published() bool {
	if acquires {
		return cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1
	}
	return cl.AtomicLoadExplicit(&flag, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1
}

func mp() {
	switch cl.GetGlobalID(0) {
	case 0:
		data = 42
		publish()
	case 1:
		if published() {
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 1))
	cl.Finish()
}
