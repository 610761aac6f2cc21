// Command peterson has two work-groups enter a critical section n times each
// by Peterson's algorithm, with seq_cst accesses.
//
// Derivation: the accesses of flags and turn are totally ordered (rules 9.1 to
// 9.3), so of two that compete, the one that wrote turn last waits. It enters
// when it reads what the other stored on leaving, or later, and acquires that
// (rule 6.1).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 1

var (
	flags   [2]cl.AtomicInt
	turn    cl.AtomicInt
	counter int32
)

func enter() {
	me := cl.GetGlobalID(0)
	for range n {
		cl.AtomicStore(&flags[me], 1)
		cl.AtomicStore(&turn, int32(1-me))
		for cl.AtomicLoad(&flags[1-me]) == 1 && cl.AtomicLoad(&turn) == int32(1-me) {
		}
		counter++
		cl.AtomicStore(&flags[me], 0)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(enter, cl.NDRange1D(2, 1))
	cl.Finish()
	cl.Assert(counter == 2*n, "every entry was counted")
}
