// Command subgroup_scope hands data over with memory_scope_sub_group.
//
// Shape: MP in one work-group, with the narrowest scope. Source: OpenCL 3.3.5.
//
// Derivation: with sub-groups of two, writer and reader lie in one, the scopes
// are inclusive (rule 3.5) and the release synchronises with the acquire (rule
// 6.1). With sub-groups of one they do not: already the atomic accesses race
// (rules 9.1, 9.2).
//
//clmc:expect verified
//clmc:expect -D size=1 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const size = 2

//cl:sub_group_size size

var (
	data int32
	flag cl.AtomicInt
)

func kernel() {
	if cl.GetLocalID(0) == 0 {
		data = 42
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeSubGroup)
	} else if cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeSubGroup) == 1 {
		cl.Reachable("the flag was seen")
		cl.Assert(data == 42, "the value arrived")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 2))
	cl.Finish()
}
