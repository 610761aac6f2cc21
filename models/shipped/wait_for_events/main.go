// Command wait_for_events reads a result after clWaitForEvents, after clFinish,
// or after it has only seen that the event is complete.
//
// Idiom: waiting for a kernel, and polling its event. Source: OpenCL 3.3.7.5;
// API 5.11 (clGetEventInfo is no synchronisation point).
//
// Derivation: the kernel happens before its event (rule 12.9), and that before
// the return of a call that waits for it: clWaitForEvents (rule 12.4) or clFinish
// (rule 12.8). clGetEventInfo does not wait: that the status is CL_COMPLETE
// orders nothing, so the read of result is a race (rule 9.1).
//
//clmc:expect verified
//clmc:outcomes result=5
//clmc:expect -D how=1 verified
//clmc:outcomes result=5
//clmc:expect -D how=2 violated CL1001
//clmc:expect -D how=3 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const how = 0 // 0 clWaitForEvents, 1 clFinish, 2 clGetEventInfo in a loop, 3 clFlush

var result int32

func kernel() { result = 5 }

func main() {
	e := cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1))
	switch how {
	case 0:
		cl.Assert(cl.WaitForEvents(e), "the kernel has not failed")
	case 1:
		cl.Finish()
	case 2:
		for cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus) != cl.CLComplete {
		}
	case 3:
		cl.Flush()
	}
	cl.Observe("result", result)
}
