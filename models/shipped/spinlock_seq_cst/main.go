// Command spinlock_seq_cst is a test-and-set lock that is taken by a seq_cst exchange and
// given back by a release store, as many are.
//
// Shape: spin lock. Source: OpenCL 3.3.7.1; OpenCL C 6.15.12, where seq_cst is the order
// of functions without one.
//
// Derivation: an exchange that finds 0 reads the initial value or a release store, and then
// synchronises with it (rule 6.1): what one work-item does to data happens before
// what the next does. Those who find 1 go round, and each of their exchanges is one more
// operation in S that constrains nothing that the next one does not.
//
//clmc:expect verified
//clmc:expect spec=popl16 verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 3

var (
	lock cl.AtomicInt
	data int32
)

func kernel() {
	for cl.AtomicExchange(&lock, 1) != 0 {
	}
	data++
	cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(data == n, "everybody has counted")
}
