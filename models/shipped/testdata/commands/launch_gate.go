// Command launch_gate stores to coarse-grained memory while a kernel that will read it waits in its queue.
//
// Derivation: the kernel in front of it is let go by a relaxed flag, after the store:
// but that orders nothing, whatever its order, since atomics do not order coarse-
// grained memory between the host and a device (rules 2.1, 12.21): the load races
// (rules 2.4, 9.2). In memory with SVM atomics the scopes are inclusive, and there is
// no race.
//
//clmc:expect violated CL1001
//clmc:expect -D released=true violated CL1001
//clmc:expect -D fine=1 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	fine     = 0
	released = false
)

var x cl.AtomicInt

//cl:memory svm_fine_atomics
var y, flag cl.AtomicInt

func gate() {
	for cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeAllSVMDevices) == 0 {
	}
}

func reader() {
	p := &x
	if fine == 1 {
		p = &y
	}
	cl.AtomicLoadExplicit(p, cl.MemoryOrderRelaxed, cl.MemoryScopeAllSVMDevices)
}

func main() {
	cl.EnqueueNDRangeKernel(gate, cl.NDRange1D(1, 1))
	cl.EnqueueNDRangeKernel(reader, cl.NDRange1D(1, 1))
	p := &x
	if fine == 1 {
		p = &y
	}
	cl.AtomicStoreExplicit(p, 1, cl.MemoryOrderRelaxed)
	if released {
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease)
	} else {
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed)
	}
	cl.Finish()
}
