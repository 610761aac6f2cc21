// Command lb_update is load buffering in which the stores are exchanges.
//
// Shape: LB with read-modify-writes. Source: OpenCL 3.3.7.1.
//
// Derivation: a relaxed exchange orders nothing, and each writes 1 whatever it reads and
// whatever the load before it reads. It can be promised right after the message that it will
// read (rule 7.7). So both loads may read 1; the exchanges then still read 0.
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 0:q0=0 1:q1=0 1:r1=0 | 0:r0=0 0:q0=0 1:q1=0 1:r1=1 | 0:r0=1 0:q0=0 1:q1=0 1:r1=0 | 0:r0=1 0:q0=0 1:q1=0 1:r1=1
//clmc:expect promises=0 verified
//clmc:outcomes 0:r0=0 0:q0=0 1:q1=0 1:r1=0 | 0:r0=0 0:q0=0 1:q1=0 1:r1=1 | 0:r0=1 0:q0=0 1:q1=0 1:r1=0
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed)
		cl.Observe("q0", cl.AtomicExchangeExplicit(&y, 1, cl.MemoryOrderRelaxed))
		cl.Observe("r0", r)
	case 1:
		r := cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed)
		cl.Observe("q1", cl.AtomicExchangeExplicit(&x, 1, cl.MemoryOrderRelaxed))
		cl.Observe("r1", r)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
