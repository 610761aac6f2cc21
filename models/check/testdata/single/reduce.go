// Command reduce adds the numbers from 1 to n in a work-group, as kernels do: each
// work-item leaves its number in local memory, and after a barrier the first of them
// adds them up. With barrier = false it reads what others may not have written yet.
//
// Derivation: the barrier orders the writes before the reads (rule 11.3). Without it
// nothing does, and the accesses are not atomic: a data race (rule 9.1), for n > 1.
package main

import "github.com/clmc/clmc/models/cl"

const (
	n       = 2
	barrier = true
)

var sum int32

func reduce() {
	numbers := cl.Local[[n]int32]()
	i := cl.GetLocalID(0)
	numbers[i] = int32(i) + 1
	if barrier {
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	}
	if i == 0 {
		for j := range n {
			sum += numbers[j]
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(reduce, cl.NDRange1D(n, n))
	cl.Finish()
	cl.Assert(sum == n*(n+1)/2, "the sum is that of all numbers")
}
