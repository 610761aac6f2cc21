// Command thin_air copies a global location to a local one and back, by release
// and acquire: can 42 come out of nothing?
//
// Shape: load buffering with data dependencies over two regions, the example on
// out-of-thin-air values. Source: OpenCL 3.3.7.1.
//
// Derivation: the specification admits that its rules allow x = y = 42 (rule
// 7.8): the two synchronisations are in different relations, and neither has a
// cycle (rule 5.6). It also asks implementations not to do so. A machine without
// promises reads only what has been written, so all values are 0 here; a machine
// with promises must certify a promised value by running alone, which for 42
// fails.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0
package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func kernel() {
	y := cl.Local[cl.AtomicInt]()
	id := cl.GetLocalID(0)
	if id == 0 {
		cl.AtomicInit(y, 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	if id == 0 {
		t := cl.AtomicLoadExplicit(y, cl.MemoryOrderAcquire)
		cl.AtomicStoreExplicit(&x, t, cl.MemoryOrderRelease)
		cl.Observe("r0", t)
	} else {
		t := cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire)
		cl.AtomicStoreExplicit(y, t, cl.MemoryOrderRelease)
		cl.Observe("r1", t)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 2))
	cl.Finish()
}
