// Command counter_reset hands out slots by a counter that a work-item resets while
// others already count on it.
//
// Idiom: a queue's tail that is reset at the beginning of the kernel that fills the
// queue, by its first work-item. Source: OpenCL 3.0 section 3.3.6 (modification order).
//
// Derivation: the reset is a store, and nothing orders it and another work-item's
// addition, so that the addition may come first in modification order (rules 7.3 to 7.6
// demand an order only of what happens before something else). It then reads 0, the initial value, and the work-item that has reset reads 0 as
// well: both write slot 0, and neither write happens before the other (rule 9.1). If the
// host resets before the kernel starts, all who count do so by read-modify-writes, which
// read each other's values in turn (rule 7.7), so that no two get one slot; nor do they
// if a barrier that covers the counter lies between the reset and the counting, in one
// work-group: then the reset happens before each addition (rules 11.3, 7.6).
//
//clmc:expect violated CL1001
//clmc:expect -D byHost=true verified
//clmc:expect -D local=2 violated CL1001
//clmc:expect -D local=2 -D barrier=true verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n       = 2
	local   = 1
	byHost  = false
	barrier = false
)

var (
	tail  cl.AtomicInt
	slots [n]int32
)

func fill() {
	if !byHost && cl.GetGlobalID(0) == 0 {
		cl.AtomicStoreExplicit(&tail, 0, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
	if barrier {
		cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	}
	i := cl.AtomicFetchAddExplicit(&tail, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	slots[i] = 1
}

func main() {
	if byHost {
		cl.AtomicInit(&tail, 0)
	}
	cl.EnqueueNDRangeKernel(fill, cl.NDRange1D(n, local))
	cl.Finish()
}
