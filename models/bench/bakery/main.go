// Command bakery has n work-groups enter a critical section by Lamport's bakery
// algorithm ("A new solution of Dijkstra's concurrent programming problem", 1974).
//
// Derivation: all atomics are seq_cst, so they interleave (rules 8.1 to 8.3), and for
// such the algorithm is known to be right. Who enters has read the 0 that everyone who was
// there before stored last, or a number greater than its own from one who has yet to see
// that; so the counter's accesses are ordered by these stores and loads (rule 6.1).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 2

var (
	choosing, number [n]cl.AtomicInt
	counter          int32
)

func enter() {
	me := cl.GetGlobalID(0)
	cl.AtomicStore(&choosing[me], 1)
	mine := int32(0)
	for i := 0; i < n; i++ {
		mine = max(mine, cl.AtomicLoad(&number[i]))
	}
	mine++
	cl.AtomicStore(&number[me], mine)
	cl.AtomicStore(&choosing[me], 0)
	for i := 0; i < n; i++ {
		if i == me {
			continue
		}
		for cl.AtomicLoad(&choosing[i]) != 0 {
		}
		for {
			v := cl.AtomicLoad(&number[i])
			if v == 0 || v > mine || v == mine && i > me {
				break
			}
		}
	}
	counter++
	cl.AtomicStore(&number[me], 0)
}

func main() {
	cl.EnqueueNDRangeKernel(enter, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(counter == n, "every entry was counted")
}
