// Command last_block_nofence is last_block in its smallest form, with the fences
// forgotten.
//
// Idiom: last-block reduction that trusts the atomic counter to order the partial
// sums. Source: OpenCL 3.3.7.1.
//
// Derivation: relaxed read-modify-writes order nothing (rule 3.1), so the partial
// sum of the other group is raced for (rule 9.1). A counter of acq_rel order needs
// no fences (rules 6.1, 5.4).
//
//clmc:expect violated CL1001
//clmc:expect -D acqRel=true verified
//clmc:expect -D acqRel=true -D groups=3 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	groups = 2
	acqRel = false
)

var (
	partial [groups]int32
	arrived cl.AtomicInt
	result  int32
)

func arrive() int32 {
	if acqRel {
		return cl.AtomicFetchAddExplicit(&arrived, 1, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice)
	}
	return cl.AtomicFetchAddExplicit(&arrived, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func reduce() {
	g := cl.GetGroupID(0)
	partial[g] = int32(g) + 1
	if arrive() == groups-1 {
		cl.Reachable("the last group")
		s := int32(0)
		for i := range groups {
			s += partial[i]
		}
		result = s
	}
}

func main() {
	cl.EnqueueNDRangeKernel(reduce, cl.NDRange1D(groups, 1))
	cl.Finish()
	cl.Assert(result == groups*(groups+1)/2, "the sum is complete")
}
