// Command spinlock_relaxed_unlock is spinlock whose unlock is relaxed.
//
// Idiom: a lock that excludes but does not publish. Source: OpenCL 3.3.7.1.
//
// Derivation: the store that unlocks releases nothing (rule 3.1), so the critical
// sections exclude each other but are not ordered by happens-before: counter is
// raced for (rule 9.1).
//
//clmc:expect violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const n = 2

var (
	lock    cl.AtomicInt
	counter int32
)

func acquire() {
	for {
		expected := int32(0)
		if cl.AtomicCompareExchangeWeakExplicit(&lock, &expected, 1,
			cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) {
			return
		}
	}
}

func count() {
	acquire()
	counter++
	cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(counter == n, "every work-item was counted")
}
