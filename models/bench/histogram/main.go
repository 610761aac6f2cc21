// Command histogram counts in local memory first: g work-groups of w work-items each
// count what they have in b bins of their own and then add these to global ones.
//
// Derivation: the local bins are cleared before a barrier, counted in before another,
// and read behind that, so that they are complete (rules 11.3, 7.2); additions lose
// nothing (rule 7.7), and the host sees all of them when the kernel is finished.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	g = 2
	w = 2
	b = 2
)

var bins [b]cl.AtomicInt

func count() {
	own := cl.Local[[b]cl.AtomicInt]()
	l := cl.GetLocalID(0)
	for i := l; i < b; i += w {
		cl.AtomicInit(&own[i], 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	cl.AtomicFetchAddExplicit(&own[cl.GetGlobalID(0)%b], 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	for i := l; i < b; i += w {
		n := cl.AtomicLoadExplicit(&own[i], cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
		cl.AtomicFetchAddExplicit(&bins[i], n, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(g*w, w))
	cl.Finish()
	var sum int32
	for i := range bins {
		sum += cl.AtomicLoad(&bins[i])
	}
	cl.Assert(sum == g*w, "everything was counted")
}
