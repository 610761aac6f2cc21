// Command spinlock protects a counter by a lock that work-groups spin on.
//
// Idiom: test-and-set lock on atomic_flag. Source: OpenCL C 6.15.12,
// atomic_flag_test_and_set; OpenCL 3.3.7.1.
//
// Derivation: whoever finds the flag clear reads the clear of the one before, or
// the initial value, and acquires what that one released (rule 6.1). So the
// critical sections are ordered by happens-before and counter is not raced for.
// Only safety is claimed: work-groups need not make progress together (rule 11.8).
//
//clmc:expect verified
//clmc:expect -D n=3 verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 2

var (
	lock    cl.AtomicFlag
	counter int32
)

func count() {
	for cl.AtomicFlagTestAndSetExplicit(&lock, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) {
	}
	counter++
	cl.AtomicFlagClearExplicit(&lock, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(counter == n, "every work-item was counted")
}
