// Command spinlock_wrong_scope is spinlock with work-group scope, contended for
// by two work-groups.
//
// Idiom: a lock of too narrow a scope. Source: OpenCL 3.3.7.
//
// Derivation: the operations on the lock are of scopes that are not inclusive
// (rule 3.5): they race themselves (rule 9.2) and do not synchronise (rule 6.2).
// Within one work-group the lock is right.
//
//clmc:expect violated CL1001
//clmc:expect -D localSize=2 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n         = 2
	localSize = 1
)

var (
	lock    cl.AtomicInt
	counter int32
)

func acquire() {
	for {
		expected := int32(0)
		if cl.AtomicCompareExchangeWeakExplicit(&lock, &expected, 1,
			cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup) {
			return
		}
	}
}

func count() {
	acquire()
	counter++
	cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease, cl.MemoryScopeWorkGroup)
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(n, localSize))
	cl.Finish()
	cl.Assert(counter == n, "every work-item was counted")
}
