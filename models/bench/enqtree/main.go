// Command enqtree enqueues a tree of kernels: each but those at depth d enqueues b
// children, and each adds 1 to a counter.
//
// Derivation: the kernel that the host enqueues completes after all its descendants
// (rule 12.15), clFinish returns after that (12.8), and additions are not lost
// (7.7): the host reads the number of nodes, (b^(d+1) - 1) / (b - 1) for b > 1.
// With share, all additions are made to one counter; else the nodes of each subtree
// of the root have one of their own, and the search should not care about their order.
//
//clmc:expect -D d=1 -D b=2 verified
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	d     = 2
	b     = 2
	share = true
)

var (
	count cl.AtomicInt
	own   [b]cl.AtomicInt
)

func node(depth, child int) {
	if share {
		cl.AtomicFetchAddExplicit(&count, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	} else {
		cl.AtomicFetchAddExplicit(&own[child], 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
	if depth == d {
		return
	}
	for i := range b {
		next := child
		if depth == 0 {
			next = i
		}
		cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), func() { node(depth+1, next) })
	}
}

func main() {
	cl.EnqueueNDRangeKernel(func() { node(0, 0) }, cl.NDRange1D(1, 1))
	cl.Finish()
	nodes, level := int32(0), int32(1)
	for range d + 1 {
		nodes += level
		level *= b
	}
	sum := cl.AtomicLoadExplicit(&count, cl.MemoryOrderRelaxed)
	for i := range own {
		sum += cl.AtomicLoadExplicit(&own[i], cl.MemoryOrderRelaxed)
	}
	cl.Assert(sum == nodes, "every node has been counted")
}
