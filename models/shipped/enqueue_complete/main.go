// Command enqueue_complete lets the host, and the next kernel, read what children
// of children have written.
//
// Idiom: a parent is complete when its descendants are. Source: OpenCL 3.2.3.
//
// Derivation: a kernel completes only after all its descendants, and its event
// has seen what they did (rule 12.15 and the reading of completion). The next
// kernel of the in-order queue follows its completion (12.5), and so does clFinish
// (12.8). So both read 7 without a race.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

var data int32

func parent() {
	q, one := cl.GetDefaultQueue(), cl.NDRange1D(1, 1)
	cl.EnqueueKernel(q, cl.CLKEnqueueFlagsNoWait, one, func() {
		cl.EnqueueKernel(q, cl.CLKEnqueueFlagsNoWait, one, func() { data = 7 })
	})
}

func next() { cl.Assert(data == 7, "the next kernel sees it") }

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	cl.EnqueueNDRangeKernel(next, cl.NDRange1D(1, 1))
	cl.Finish()
	cl.Assert(data == 7, "the host sees it")
}
