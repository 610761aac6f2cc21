// Command cas_aba pops from a lock-free stack while another work-item pops two
// nodes and pushes the first one back.
//
// Idiom: the ABA problem of compare-exchange, and the version counter against it.
// Source: OpenCL C 6.15.12.
//
// Derivation: work-item 0 reads head = 1 and its successor 2; the other pops 1,
// keeps 2 and pushes 1 back; the exchange then succeeds on the same value (rule
// 10.2) and makes 2, which is in use, the head. With a version in the upper bits
// of head, the value differs and the exchange fails. All atomics are seq_cst, so
// this is no matter of weak memory: all executions are interleavings.
//
//clmc:expect violated CL1004
//clmc:expect -D versioned=true verified
package main

import "github.com/clmc/clmc/models/cl"

const versioned = false

// A stack of nodes 1 and 2; 0 is its end. Bits 0 to 7 of head are the node, the
// others its version.
var (
	head = cl.AtomicVarInit[int32](1)
	next [3]cl.AtomicInt
	kept int32 // the node that work-item 1 keeps
)

// moved returns a new value of head.
func moved(old, node int32) int32 {
	if versioned {
		return old&^0xff + 0x100 + node
	}
	return node
}

// pop returns the node popped, or 0.
func pop() int32 {
	h := cl.AtomicLoad(&head)
	node := h & 0xff
	if node == 0 {
		return 0
	}
	if !cl.AtomicCompareExchangeStrong(&head, &h, moved(h, cl.AtomicLoad(&next[node]))) {
		return 0
	}
	return node
}

// push pushes a node, unless somebody is faster.
func push(node int32) {
	h := cl.AtomicLoad(&head)
	cl.AtomicStore(&next[node], h&0xff)
	cl.AtomicCompareExchangeStrong(&head, &h, moved(h, node))
}

func kernel() {
	if cl.GetGlobalID(0) == 0 {
		pop()
		return
	}
	first := pop()
	kept = pop()
	if first != 0 {
		push(first)
	}
}

func main() {
	cl.AtomicInit(&next[1], 2)
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
	top := cl.AtomicLoad(&head) & 0xff
	cl.Assert(kept == 0 || top != kept, "a node in use is not in the stack")
}
