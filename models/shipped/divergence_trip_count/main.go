// Command divergence_trip_count has work-items go round a loop with a barrier a
// different number of times.
//
// Idiom: a loop whose bound depends on the work-item. Source: OpenCL C 6.15.8.
//
// Derivation: the first iteration is common; then work-item 0 ends while work-item
// 1 waits at the barrier of the second (rule 11.1).
//
//clmc:expect violated CL1003
package main

import "github.com/clmc/clmc/models/cl"

func kernel() {
	for range cl.GetLocalID(0) + 1 {
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 2))
	cl.Finish()
}
