// Command mp_relaxed hands plain data to another work-group behind a flag that
// is only relaxed.
//
// Idiom: message passing (MP) without synchronisation. Source: OpenCL 3.3.7.1.
//
// Derivation: relaxed operations neither release nor acquire (rule 3.1), so the
// flag synchronises with nobody; the write and the read of data are unordered:
// a data race (rule 9.1).
//
//clmc:expect violated CL1001
//clmc:expect spec=3.1 violated CL1001
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
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	case 1:
		if cl.AtomicLoadExplicit(&flag, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1 {
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 1))
	cl.Finish()
}
