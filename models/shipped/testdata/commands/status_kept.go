// Command status_kept asks twice for the status of a marker in a program without memory.
//
// Derivation: API 5.11: a command that is complete stays so. The first answer need not
// be that.
//
//clmc:expect verified
//clmc:expect -D sure=true violated CL1004
package main

import "github.com/clmc/clmc/models/cl"

const sure = false

func kernel() {}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1))
	m := cl.EnqueueMarkerWithWaitList()
	first := cl.GetEventInfo(m, cl.CLEventCommandExecutionStatus)
	second := cl.GetEventInfo(m, cl.CLEventCommandExecutionStatus)
	cl.Assert(first != cl.CLComplete || second == cl.CLComplete, "complete for good")
	cl.Assert(!sure || first == cl.CLComplete, "complete at once")
	cl.Finish()
	cl.Assert(cl.GetEventInfo(m, cl.CLEventCommandExecutionStatus) == cl.CLComplete, "finished")
}
