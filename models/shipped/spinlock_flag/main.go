// Command spinlock_flag protects a counter by a lock that work-groups spin on
// with test-and-set.
//
// Idiom: lock on atomic_flag. Source: OpenCL C 6.15.12, atomic_flag_test_and_set;
// OpenCL 3.3.7.1.
//
// Derivation: whoever finds the flag clear reads the clear of the one before, or
// the initial value, and acquires what that one released (rules 6.1, 10.4); a
// test-and-set that finds it set changes nothing. Nobody else can read the same
// clear (rule 7.7), so the critical sections are ordered by happens-before and
// counter is not raced for. A failed test-and-set writes, so while another
// work-item lags behind, spinning makes new states without end: more than two
// work-items need a bound.
//
//clmc:expect verified
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
