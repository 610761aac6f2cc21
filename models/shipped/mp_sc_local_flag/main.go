// Command mp_sc_local_flag guards global data by a seq_cst flag in local memory.
//
// Idiom: message passing (MP) between two kinds of memory with the default
// order. Source: OpenCL 3.3.7.1, memory_order_seq_cst.
//
// Derivation: the store and the load synchronise locally (rule 6.1; on local
// memory the device scope means the work-group, rule 3.4). Both are seq_cst, so
// they synchronise globally too (rule 6.8), and, being actions of both relations
// (rule 5.7), they order data. The published models take rule 6.8 to be void.
//
//clmc:expect verified
//clmc:expect spec=2.0 verified
//clmc:expect spec=3.1 verified
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
		cl.AtomicStore(flag, 1)
	} else if cl.AtomicLoad(flag) == 1 {
		cl.Reachable("the flag was seen")
		cl.Assert(data == 42, "the value arrived")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 2))
	cl.Finish()
}
