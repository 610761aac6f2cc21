// Command empty_parent has a parent without work-items.
//
// Derivation: nothing runs, so that nothing is enqueued; what is behind the kernel in
// its queue runs (rules 12.5, 12.22).
//
//clmc:expect verified
//clmc:expect -D reach=true violated CL1012
package main

import "github.com/clmc/clmc/models/cl"

const reach = false

var x int32

func parent() {
	if reach {
		cl.Reachable("a work-item")
	}
	cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsWaitWorkGroup, cl.NDRange1D(1, 1), func() { x = 5 })
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(0, 1))
	cl.EnqueueNDRangeKernel(func() { x++ }, cl.NDRange1D(1, 1))
	cl.EnqueueNDRangeKernel(parent, cl.NDRange2D([2]int{3, 0}, [2]int{1, 1}))
	cl.Finish()
	cl.Assert(x == 1, "one kernel has run")
}
