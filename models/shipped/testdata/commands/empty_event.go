// Command empty_event enqueues a kernel without work-items.
//
// Derivation: rule 12.22 (API 5.10): since 2.1 the command succeeds when its events
// are complete; its event is complete, nothing has run. The version 2.0 has no such
// command, nor have the published models, which rest on it.
//
//clmc:expect verified
//clmc:expect spec=3.1 verified
//clmc:expect spec=2.0 violated CL1008
//clmc:expect spec=popl16 violated CL1008
//clmc:expect spec=popl16-scoped violated CL1008
package main

import "github.com/clmc/clmc/models/cl"

var x, size int32

func kernel() { x = 1 }

func main() {
	e := cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(int(size), 1))
	cl.Assert(cl.WaitForEvents(e), "it succeeds")
	cl.Assert(cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus) == cl.CLComplete, "complete")
	cl.Assert(x == 0, "nothing has run")
}
