// Command spinlock_local protects global data by a lock in local memory.
//
// Idiom: a work-group's own lock, kept in __local memory. Source: OpenCL 3.3.7.1.
//
// Derivation: acquire and release of a local lock order local memory only (rules
// 5.5, 6.1), so the global counter is raced for (rule 9.1). With seq_cst
// operations the lock orders both (rule 6.8).
//
//clmc:expect violated CL1001
//clmc:expect -D seqCst=true verified
//clmc:expect -D seqCst=true spec=popl16 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const seqCst = false

var counter int32

func acquire(lock *cl.AtomicInt) {
	for {
		expected := int32(0)
		if seqCst {
			if cl.AtomicCompareExchangeStrong(lock, &expected, 1) {
				return
			}
		} else if cl.AtomicCompareExchangeStrongExplicit(lock, &expected, 1,
			cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup) {
			return
		}
	}
}

func release(lock *cl.AtomicInt) {
	if seqCst {
		cl.AtomicStore(lock, 0)
	} else {
		cl.AtomicStoreExplicit(lock, 0, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
	}
}

func count() {
	lock := cl.Local[cl.AtomicInt]()
	if cl.GetLocalID(0) == 0 {
		cl.AtomicInit(lock, 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	acquire(lock)
	counter++
	release(lock)
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(2, 2))
	cl.Finish()
	cl.Assert(counter == 2, "both were counted")
}
