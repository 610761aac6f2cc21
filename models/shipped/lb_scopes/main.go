// Command lb_scopes is load buffering with work-group scope, in one work-group or two.
//
// Shape: LB with scopes. Source: OpenCL 3.3.5, 3.3.7.
//
// Derivation: within a work-group the scopes are inclusive (rule 3.5), and relaxed
// operations order nothing: all four outcomes, as for lb_relaxed. Between two work-groups
// the accesses race (rule 9.2).
//
//clmc:expect verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0 | 0:r0=1 1:r1=1
//clmc:expect promises=0 verified
//clmc:outcomes 0:r0=0 1:r1=0 | 0:r0=0 1:r1=1 | 0:r0=1 1:r1=0
//clmc:expect -D localSize=1 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const localSize = 2

var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
		cl.Observe("r0", r)
	case 1:
		r := cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
		cl.Observe("r1", r)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, localSize))
	cl.Finish()
}
