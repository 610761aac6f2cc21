// Command sb_two_regions is store buffering with seq_cst operations on a global
// and a local location.
//
// Shape: store buffering (SB) across kinds of memory. Source: OpenCL 3.3.7.1.
//
// Derivation: taking seq_cst operations as actions of both happens-before
// relations (rule 5.7), each store precedes the following load in S, although they
// are in different regions (rule 8.2), and not both loads read 0 (rule 8.3). In
// the published models each is an action of its own region only, no relation
// orders a store of one and a load of the other, and both loads may read 0.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
//clmc:expect spec=popl16 verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
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
		cl.AtomicStore(&x, 1)
		cl.Observe("r0", cl.AtomicLoad(y))
	} else {
		cl.AtomicStore(y, 1)
		cl.Observe("r1", cl.AtomicLoad(&x))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 2))
	cl.Finish()
}
