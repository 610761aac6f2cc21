// Command spinlock protects a counter by a lock that work-groups spin on.
//
// Idiom: lock taken by compare-exchange. Source: OpenCL 3.3.7.1.
//
// Derivation: whoever finds 0 reads the unlock of the one before, or the initial
// value, and acquires what that one released (rule 6.1); nobody else can read the
// same 0 (rule 7.7). So the critical sections are ordered by happens-before and
// counter is not raced for.
// Only safety is claimed: work-groups need not make progress together (rule 11.8).
//
//clmc:expect verified
//clmc:expect -D n=3 verified
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
	cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(counter == n, "every work-item was counted")
}
