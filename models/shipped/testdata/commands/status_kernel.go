// Command status_kernel asks for the status of a kernel in a program without memory.
//
// Derivation: API 5.11: queued, submitted, running or complete before anybody has
// waited; complete afterwards (rule 12.4).
//
//clmc:expect verified
//clmc:expect -D first=0 violated CL1004
//clmc:expect -D first=1 violated CL1004
//clmc:expect -D first=2 violated CL1004
//clmc:expect -D first=3 violated CL1004
package main

import "github.com/clmc/clmc/models/cl"

// first: the status that the host is sure of before it waits; 4: none.
const first = 4

func kernel() {}

func main() {
	e := cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1))
	s := cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus)
	cl.Assert(s >= 0 && s <= 3, "no error")
	if first < 4 {
		cl.Assert(s == first, "sure")
	}
	cl.WaitForEvents(e)
	cl.Assert(cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus) == cl.CLComplete, "complete")
}
