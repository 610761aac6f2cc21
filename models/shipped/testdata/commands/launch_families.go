// Command launch_families runs a parent twice, whose children write what both share.
//
// Derivation: a parent is complete when its children are (rule 12.15): in an in-order
// queue the second follows all of the first (12.5). In an out-of-order queue they
// race.
//
//clmc:expect verified
//clmc:expect -D properties=1 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const properties = 0

var x int32

func parent() {
	cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), func() { x++ })
}

func main() {
	q := cl.CreateCommandQueue(0, properties)
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.Finish(q)
	cl.Assert(x == 2, "both children have run")
}
