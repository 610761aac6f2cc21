// Command mp_wrong_scope uses work-group scope between work-groups.
//
// Idiom: message passing (MP) with memory_scope_work_group. Source: OpenCL
// 3.3.5, 3.3.7.
//
// Derivation: work-group scope is inclusive only within one work-group (rule
// 3.5). In two work-groups the flag does not synchronise (rule 6.2), so data
// is raced for; and the two accesses of the flag race themselves, atomic as
// they are (rules 9.1, 9.2). In one work-group all is well.
//
//clmc:expect violated CL1001
//clmc:expect spec=3.1 violated CL1001
//clmc:expect -D localSize=2 verified
package main

import "github.com/clmc/clmc/models/cl"

const localSize = 1

var (
	data int32
	flag cl.AtomicInt
)

func mp() {
	switch cl.GetGlobalID(0) {
	case 0:
		data = 42
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
	case 1:
		if cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup) == 1 {
			cl.Assert(data == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, localSize))
	cl.Finish()
}
