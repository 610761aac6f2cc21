// Command iriw_acquire has two readers see two independent writes in opposite
// orders.
//
// Shape: independent reads of independent writes (IRIW), release and acquire.
// Source: OpenCL 3.3.7.1.
//
// Derivation: each reader synchronises with the writers that it reads from (rule
// 6.1), and nothing relates the two writers: all 16 outcomes.
//
//clmc:expect verified
//clmc:outcomes 2:r0=0 2:r1=0 3:r2=0 3:r3=0 | 2:r0=0 2:r1=0 3:r2=0 3:r3=1 | 2:r0=0 2:r1=0 3:r2=1 3:r3=0 | 2:r0=0 2:r1=0 3:r2=1 3:r3=1
//clmc:outcomes 2:r0=0 2:r1=1 3:r2=0 3:r3=0 | 2:r0=0 2:r1=1 3:r2=0 3:r3=1 | 2:r0=0 2:r1=1 3:r2=1 3:r3=0 | 2:r0=0 2:r1=1 3:r2=1 3:r3=1
//clmc:outcomes 2:r0=1 2:r1=0 3:r2=0 3:r3=0 | 2:r0=1 2:r1=0 3:r2=0 3:r3=1 | 2:r0=1 2:r1=0 3:r2=1 3:r3=0 | 2:r0=1 2:r1=0 3:r2=1 3:r3=1
//clmc:outcomes 2:r0=1 2:r1=1 3:r2=0 3:r3=0 | 2:r0=1 2:r1=1 3:r2=0 3:r3=1 | 2:r0=1 2:r1=1 3:r2=1 3:r3=0 | 2:r0=1 2:r1=1 3:r2=1 3:r3=1
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelease)
	case 1:
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelease)
	case 2:
		cl.Observe("r0", cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire))
		cl.Observe("r1", cl.AtomicLoadExplicit(&y, cl.MemoryOrderAcquire))
	case 3:
		cl.Observe("r2", cl.AtomicLoadExplicit(&y, cl.MemoryOrderAcquire))
		cl.Observe("r3", cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(4, 1))
	cl.Finish()
}
