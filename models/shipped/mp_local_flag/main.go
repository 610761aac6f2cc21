// Command mp_local_flag guards global data by a flag in local memory.
//
// Idiom: message passing (MP) between two kinds of memory. Source: OpenCL
// 3.3.7, 3.3.7.1: global and local happens-before are separate relations.
//
// Derivation: the flag is local, so its release and acquire are in
// local-synchronises-with (rule 6.1), which orders local memory alone (rule
// 5.5). In global-happens-before the accesses of data are unordered: a data race
// (rule 9.1). Hardware tends to hide this bug.
//
//clmc:expect violated CL1001
//clmc:expect spec=3.1 violated CL1001
//clmc:expect spec=popl16 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

var data int32

func mp() {
	flag := cl.Local[cl.AtomicInt]()
	id := cl.GetLocalID(0)
	if id == 0 {
		cl.AtomicInit(flag, 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	if id == 0 {
		data = 42
		cl.AtomicStoreExplicit(flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
	} else if cl.AtomicLoadExplicit(flag, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup) == 1 {
		cl.Assert(data == 42, "the value arrived")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 2))
	cl.Finish()
}
