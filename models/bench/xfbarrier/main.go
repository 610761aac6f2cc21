// Command xfbarrier makes g work-groups of w work-items wait for each other at
// the inter-work-group barrier of Xiao and Feng: work-group 0 collects the flags
// of the others, one work-item a flag, and lets them go.
//
// Derivation: a work-item's write happens before its group's leader raises the
// flag (rule 11.3), which a work-item of group 0 acquires (rule 6.1), before the
// barrier after which all flags are lowered; the leaders acquire that, and the
// last barrier passes it on. So every write happens before every read. There
// must be a work-item for each flag: w is at least g-1.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	g = 2
	w = 1
)

var (
	flags [g]cl.AtomicInt
	data  [g * w]int32
)

func barrier() {
	l := cl.GetLocalID(0)
	me := cl.GetGroupID(0)
	if me == 0 {
		if l+1 < g {
			for cl.AtomicLoadExplicit(&flags[l+1], cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0 {
			}
		}
		cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
		if l+1 < g {
			cl.AtomicStoreExplicit(&flags[l+1], 0, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		}
		return
	}
	cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	if l == 0 {
		cl.AtomicStoreExplicit(&flags[me], 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		for cl.AtomicLoadExplicit(&flags[me], cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
		}
	}
	cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
}

func meet() {
	i := cl.GetGlobalID(0)
	data[i] = 1
	barrier()
	cl.Assert(data[(i+w)%(g*w)] == 1, "the next work-group has arrived")
}

func main() {
	cl.EnqueueNDRangeKernel(meet, cl.NDRange1D(g*w, w))
	cl.Finish()
}
