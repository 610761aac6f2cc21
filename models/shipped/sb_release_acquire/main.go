// Command sb_release_acquire is store buffering with release stores and acquire
// loads: they do not forbid the weak outcome.
//
// Shape: store buffering (SB). Source: OpenCL 3.3.7.1.
//
// Derivation: a load that reads 0 reads no released value and synchronises with
// nobody (rule 6.1); so both may (rule 7.2).
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelease)
		cl.Observe("r0", cl.AtomicLoadExplicit(&y, cl.MemoryOrderAcquire))
	case 1:
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelease)
		cl.Observe("r1", cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
