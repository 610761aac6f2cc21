// Command deque_fences is deque_lb mended: fences keep the thief's read of the task before
// its claim.
//
// Idiom: as deque_lb, with the fences that the authors add. Source: Alglave et al., ASPLOS
// 2015.
//
// Derivation: if the owner sees the head that the thief has written, the fence of the thief
// synchronises with that of the owner (rule 6.3). So the thief's load of the slot happens before
// the owner's store and cannot read it (rule 7.2).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	old = 1 // the task that the deque holds at first
	new = 2 // the task that is pushed into its slot
)

var (
	slot = cl.AtomicVarInit[int32](old)
	head cl.AtomicInt // the index of the task to be stolen next
)

// steal takes the task at the head.
func steal() {
	h := cl.AtomicLoadExplicit(&head, cl.MemoryOrderRelaxed)
	task := cl.AtomicLoadExplicit(&slot, cl.MemoryOrderRelaxed)
	cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice)
	if cl.AtomicCompareExchangeStrongExplicit(&head, &h, h+1, cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed) {
		cl.Reachable("a task is stolen")
		cl.Assert(task == old, "the thief has the task that the slot held when it was at the head")
	}
}

// push puts another task into the slot once that is free.
func push() {
	if cl.AtomicLoadExplicit(&head, cl.MemoryOrderRelaxed) == 1 {
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice)
		cl.AtomicStoreExplicit(&slot, new, cl.MemoryOrderRelaxed)
		cl.Reachable("the slot is used again")
	}
}

func kernel() {
	if cl.GetGlobalID(0) == 0 {
		push()
	} else {
		steal()
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
