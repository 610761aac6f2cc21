// Command deque_lb is the heart of a work-stealing deque for GPUs that loses a task.
//
// Idiom: a thief reads the task at the head, then claims it by a compare-exchange of the
// head; the owner, which sees the head past the slot, uses the slot again. Source: D. Cederman
// and P. Tsigas, "Dynamic load balancing using work-stealing" (GPU Computing Gems, 2012), in
// which Alglave et al., "GPU concurrency: weak behaviours and programming assumptions"
// (ASPLOS 2015), found the missing fences by their test dlb-lb, and saw it fail on GPUs.
//
// Derivation: the compare-exchange does not depend on what the load of the slot reads, and
// nothing orders the two, so it may be promised: the owner sees the new head, stores the new
// task, and the thief's load reads that one (rule 7.2). The old task is lost, and the new one
// will be run twice. In executions of program order the load comes before the claim and the
// store after it, and the load cannot read the store.
//
//clmc:expect violated CL1004
//clmc:expect promises=0 verified
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
	if cl.AtomicCompareExchangeStrongExplicit(&head, &h, h+1, cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed) {
		cl.Reachable("a task is stolen")
		cl.Assert(task == old, "the thief has the task that the slot held when it was at the head")
	}
}

// push puts another task into the slot once that is free.
func push() {
	if cl.AtomicLoadExplicit(&head, cl.MemoryOrderRelaxed) == 1 {
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
