// Command assert_race divides by what another work-item writes, with the barrier
// between forgotten.
//
// Idiom: a check that fails only because of a race. Source: OpenCL 3.3.7, "data
// race".
//
// Derivation: nothing orders the write of step and its read by the other
// work-item: a data race (rule 9.1), whichever comes first. Where the read does,
// it returns 0, and the division fails before the write has been performed. But
// that execution has the race, too, as soon as the write is performed, so it is
// undefined (rule 9.3): every execution in which the division fails is. With the
// barrier the write happens before the read (rule 11.3), which returns 2.
//
//clmc:expect violated CL1001
//clmc:expect -D ordered=1 verified
package main

import "github.com/clmc/clmc/models/cl"

const ordered = 0

var step int32

func share() {
	i := cl.GetLocalID(0)
	if i == 0 {
		step = 2
	}
	if ordered == 1 {
		cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	}
	if i == 1 {
		cl.Assert(100/step == 50, "half of it each")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(share, cl.NDRange1D(2, 2))
	cl.Finish()
}
