// Command handover gives a number to another work-group: the first model of README.md.
//
// Idiom: message passing (MP) whose store to the flag is relaxed. Source: OpenCL 3.3.7.1.
//
// Derivation: the load acquires, but the store does not release (rule 3.1). So the two do not
// synchronise (rules 6.3 to 6.5), and the write and the read of data are unordered: a data race
// (rule 9.1). If the store releases, a load that reads 1 synchronises with it, and the write
// happens before the read.
//
//clmc:expect violated CL1001
//clmc:expect -D release=true verified
package main

import "github.com/clmc/clmc/models/cl"

const release = false // -D release=true sets it

var (
	data, out int32
	ready     cl.AtomicInt
)

func handover() {
	if cl.GetGroupID(0) == 0 {
		data = 42
		if release {
			cl.AtomicStoreExplicit(&ready, 1, cl.MemoryOrderRelease)
		} else {
			cl.AtomicStoreExplicit(&ready, 1, cl.MemoryOrderRelaxed)
		}
	} else if cl.AtomicLoadExplicit(&ready, cl.MemoryOrderAcquire) == 1 {
		out = data
	}
}

func main() {
	cl.EnqueueNDRangeKernel(handover, cl.NDRange1D(2, 1))
	cl.Finish()
}
