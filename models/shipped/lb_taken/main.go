// Command lb_taken is load buffering in which a store has been seen early, and then what its
// work-item could have relied on is taken away.
//
// Shape: a compare-exchange and an addition that race for m, with load buffering on either side.
// Source: derived from OpenCL 3.3.7.1 and the certification of promises.
//
// Derivation: work-item 0 stores 1 to y if it exchanges m, which it can alone: it promises
// y = 1, and as it can do so alone no value comes out of thin air (rule 7.8). Work-item 1 reads that and starts work-item 2, which adds to m. From now on work-item 0
// can keep its promise only by way of help = 1. Work-item 3 stores that whatever it loads, and
// has promised it before the addition, though work-item 0 had no way to look at it then. So the
// exchange fails, work-item 0 reads help = 1, stores y = 1 and last k = 1, a release, which is
// what work-item 3 loads. Without promises work-item 2 adds to m only after y = 1 has been
// written, by then either after the exchange or after help = 1, which follows a load of k before k = 1.
//
//clmc:expect violated CL1004
//clmc:expect promises=0 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	relaxed = cl.MemoryOrderRelaxed
	release = cl.MemoryOrderRelease
	device  = cl.MemoryScopeDevice
)

var (
	m, help, y, start, k       cl.AtomicInt
	exchanged, helped, started bool
	last                       int32
)

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		expected := int32(0)
		exchanged = cl.AtomicCompareExchangeStrongExplicit(&m, &expected, 5, relaxed, relaxed, device)
		if exchanged {
			cl.AtomicStoreExplicit(&y, 1, relaxed, device)
		} else if helped = cl.AtomicLoadExplicit(&help, relaxed, device) == 1; helped {
			cl.AtomicStoreExplicit(&y, 1, relaxed, device)
		}
		cl.AtomicStoreExplicit(&k, 1, release, device)
	case 1:
		if cl.AtomicLoadExplicit(&y, relaxed, device) == 1 {
			cl.AtomicStoreExplicit(&start, 1, relaxed, device)
		}
	case 2:
		started = cl.AtomicLoadExplicit(&start, relaxed, device) == 1
		if started {
			cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, release, device)
			cl.AtomicFetchAddExplicit(&m, 1, relaxed, device)
		}
	case 3:
		last = cl.AtomicLoadExplicit(&k, relaxed, device)
		cl.AtomicStoreExplicit(&help, 1, relaxed, device)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(4, 1))
	cl.Finish()
	cl.Assert(!(!exchanged && helped && started && last == 1), "the store was seen before its work-item had found another reason for it")
}
