// Command launch_devices runs a kernel on two devices, or twice on one, side by side.
//
// Derivation: atomics of device scope on one device have inclusive scopes (rule 3.5),
// on two they have not and race (9.2); nor have those of work_group scope, or on a
// buffer, of two kernel-instances (3.5, 2.9).
//
//clmc:expect verified
//clmc:expect -D device=1 violated CL1001
//clmc:expect -D what=3 violated CL1001
//clmc:expect -D what=1 violated CL1001
//clmc:expect -D what=2 verified
//clmc:expect -D what=2 -D device=1 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	device = 0
	what   = 0
)

var x cl.AtomicInt

//cl:memory buffer
var b cl.AtomicInt

//cl:memory svm_fine_atomics
var f cl.AtomicInt

func add() {
	switch what {
	case 0:
		cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	case 1:
		cl.AtomicFetchAddExplicit(&b, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	case 2:
		cl.AtomicFetchAddExplicit(&f, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeAllSVMDevices)
	case 3:
		cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
	}
}

func main() {
	p, q := cl.CreateCommandQueue(0, 0), cl.CreateCommandQueue(device, 0)
	cl.EnqueueNDRangeKernel(add, cl.NDRange1D(1, 1), cl.OnQueue(p))
	cl.EnqueueNDRangeKernel(add, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.Finish(p)
	cl.Finish(q)
}
