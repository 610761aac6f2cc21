// Command marker_two_items has two work-items that each enqueue a marker and nothing else.
//
// Derivation: rule 12.18: each marker completes with its event. If one is never set,
// its kernel never completes (rule 12.15).
//
//clmc:expect verified
//clmc:expect -D forgotten=true violated CL1011
package main

import "github.com/clmc/clmc/models/cl"

const forgotten = false

func parent() {
	var b cl.ClkEvent
	a := cl.CreateUserEvent()
	cl.EnqueueMarker(cl.GetDefaultQueue(), []cl.ClkEvent{a}, &b)
	if !forgotten || cl.GetGlobalID(0) == 0 {
		cl.SetUserEventStatus(a, cl.CLComplete)
	}
	cl.ReleaseEvent(a)
	cl.ReleaseEvent(b)
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(2, 1))
	cl.Finish()
}
