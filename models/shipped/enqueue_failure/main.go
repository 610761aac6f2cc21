// Command enqueue_failure enqueues a child without looking at the result.
//
// Idiom: CLK_ENQUEUE_FAILURE. Source: OpenCL C 6.15.18.
//
// Derivation: an enqueue may fail (rule 12.17), which is explored because the
// model asks for it. Then the child does not run, and the host finds 0. A
// program that does the work itself in that case is right.
//
//clmc:expect violated CL1004
//clmc:expect -D check=true verified
//clmc:expect -D fail=false verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	check = false
	fail  = true
)

var data int32

func work() { data = 7 }

func parent() {
	result := cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsWaitKernel, cl.NDRange1D(1, 1), work)
	if check && result != cl.CLKSuccess {
		work()
	}
}

func main() {
	cl.EnqueuesMayFail(fail)
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	cl.Finish()
	cl.Assert(data == 7, "the work is done")
}
