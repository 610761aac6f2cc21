// Command progress_lookback_gap looks back to a work-group that may forget to publish.
//
// Idiom: decoupled look-back with a gap. Source: OpenCL 3.2.2 (rule 11.8);
// docs/liveness.md.
//
// Derivation: work-group 0 may publish nothing. Then work-group 1 reads 0 in its state for
// ever, and so does work-group 2, once it has gone on from work-group 1, which never gets
// further than 1. No scheduler helps.
//
//clmc:expect violated CL1011
//clmc:expect liveness=fair violated CL1011
package main

import "github.com/clmc/clmc/models/cl"

const n = 3

var state [n]cl.AtomicInt // 1: its own part, 2: all up to it

func k() {
	me := cl.GetGroupID(0)
	if me == 0 {
		if cl.Choose(2) == 0 {
			cl.AtomicStoreExplicit(&state[0], 2, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		}
		return
	}
	cl.AtomicStoreExplicit(&state[me], 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	for from := me - 1; ; {
		seen := cl.AtomicLoadExplicit(&state[from], cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
		if seen == 2 {
			break
		}
		if seen == 1 {
			from--
		}
	}
	cl.AtomicStoreExplicit(&state[me], 2, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, 1))
	cl.Finish()
}
