// Command launch_thread has one thread store to coarse-grained memory, and another run a kernel that reads it once a flag says so.
//
// Derivation: the flag orders coarse-grained memory of the two host threads if it is
// released and acquired (C11); the enqueue then orders the kernel (rule 12.1). A
// relaxed flag orders nothing: a race of the kernel (9.1), though it always starts
// after the store.
//
//clmc:expect verified
//clmc:expect -D released=false violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const released = true

var x cl.AtomicInt

//cl:memory svm_fine_atomics
var flag cl.AtomicInt

func storer() {
	cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
	if released {
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease)
	} else {
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed)
	}
}

func reader() { cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) }

func main() {
	go storer()
	if cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire) == 1 {
		cl.Reachable("the flag is seen")
		cl.EnqueueNDRangeKernel(reader, cl.NDRange1D(1, 1))
		cl.Finish()
	}
}
