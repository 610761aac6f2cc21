// Command empty_range searches a graph breadth first: a kernel for each frontier
// enqueues the next, until a frontier is empty.
//
// Idiom: device-side enqueue over a frontier whose size only the device knows. Source:
// OpenCL API 5.10, clEnqueueNDRangeKernel; OpenCL C 6.15.18, enqueue_kernel.
//
// Derivation: a child without work-items succeeds when what it waits for has happened
// (rule 12.22), and its event is complete: with WAIT_KERNEL that is the end of the
// parent's work-items (rule 12.12), so that the child behind it, which waits for its
// event (rule 12.2), sees what they did. With NO_WAIT the empty child is complete at
// once, and the one behind it races with the parent's other work-item (rule 9.1).
// Before OpenCL 2.1 an index space must not be empty.
//
//clmc:expect verified
//clmc:expect -D wait=false violated CL1001
//clmc:expect -D vertices=2 verified
//clmc:expect spec=2.0 violated CL1008
//clmc:expect spec=3.1 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	vertices = 1 // of the first frontier
	wait     = true
)

var (
	next    cl.AtomicInt // vertices of the next frontier
	visited [2]int32
	done    int32
)

// flags says what the next frontier waits for.
func flags() cl.KernelEnqueueFlags {
	if wait {
		return cl.CLKEnqueueFlagsWaitKernel
	}
	return cl.CLKEnqueueFlagsNoWait
}

// frontier visits a vertex, of which no edge leads to one that is new. The last
// work-item enqueues the next frontier, and what comes when that has been visited.
func frontier() {
	if id := cl.GetGlobalID(0); id < vertices {
		visited[id] = 1
		return
	}
	n := int(cl.AtomicLoadExplicit(&next, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
	var level cl.ClkEvent
	cl.EnqueueKernelEvents(cl.GetDefaultQueue(), flags(), cl.NDRange1D(n, 1), nil, &level, frontier)
	cl.EnqueueKernelEvents(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), []cl.ClkEvent{level}, nil, func() {
		for i := range vertices {
			done += visited[i]
		}
	})
	cl.ReleaseEvent(level)
}

func main() {
	cl.EnqueueNDRangeKernel(frontier, cl.NDRange1D(vertices+1, 1))
	cl.Finish()
	cl.Assert(done == vertices, "all have been visited")
}
