// Command collective_broadcast hands a value from one work-item of a
// two-dimensional work-group to all.
//
// Idiom: a ticket that one work-item draws for its group. Source: OpenCL C
// 6.15.16.
//
// Derivation: work_group_broadcast returns to all what the work-item with that
// local ID passed (rule 11.6). The counter is only touched atomically, by
// work-item (1, 0) of each group, with device scope, so that no access races
// (rule 9.1), and the two groups draw 0 and 1, in either order (rule 7.7).
//
//clmc:expect verified
//clmc:outcomes 0:ticket=0 1:ticket=0 2:ticket=1 3:ticket=1 | 0:ticket=1 1:ticket=1 2:ticket=0 3:ticket=0
package main

import "github.com/clmc/clmc/models/cl"

var next cl.AtomicInt

func kernel() {
	ticket := int32(-1)
	if cl.GetLocalID(0) == 1 && cl.GetLocalID(1) == 0 {
		ticket = cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
	cl.Observe("ticket", cl.WorkGroupBroadcast(ticket, 1, 0))
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange2D([2]int{2, 2}, [2]int{2, 1}))
	cl.Finish()
}
