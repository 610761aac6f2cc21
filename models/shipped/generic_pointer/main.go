// Command generic_pointer publishes data through a flag that a generic pointer
// selects.
//
// Idiom: message passing with generic pointers. Source: OpenCL 3.3.1, OpenCL C
// 6.7.5.
//
// Derivation: the region of an access through a generic pointer is that of what
// the pointer points to (rule 1.3). If the flag is global, release and acquire
// order global memory (rule 6.1), and data is read after it was written (rule
// 7.1). If it is local, they order local memory only (rules 5.5, 6.1), and the
// accesses of data race (rule 9.1). With flags=1 only the global flag is used.
//
//clmc:expect violated CL1001
//clmc:expect -D flags=1 verified
package main

import "github.com/clmc/clmc/models/cl"

const flags = 2

var (
	data   int32
	choice int32
	global cl.AtomicInt
)

// publish and await take pointers to any kind of memory, as functions of
// OpenCL C 2.0 do.
func publish(flag *cl.AtomicInt) {
	cl.AtomicStoreExplicit(flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
}

func await(flag *cl.AtomicInt) bool {
	return cl.AtomicLoadExplicit(flag, cl.MemoryOrderAcquire, cl.MemoryScopeWorkGroup) == 1
}

func mp() {
	local := cl.Local[cl.AtomicInt]()
	if cl.GetLocalID(0) == 0 {
		cl.AtomicInit(local, 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	flag := &global
	if choice == 1 {
		flag = local
	}
	if cl.GetLocalID(0) == 0 {
		data = 42
		publish(flag)
	} else if await(flag) {
		cl.Reachable("the flag was seen")
		cl.Assert(data == 42, "the value arrived")
	}
}

func main() {
	choice = int32(cl.Choose(flags))
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(2, 2))
	cl.Finish()
}
