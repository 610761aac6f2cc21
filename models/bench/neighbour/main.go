// Command neighbour has n work-items of one work-group each write an element of
// local memory and read the next one's after a barrier.
//
// Derivation: the barrier orders every write before every read (rule 11.3).
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 4

func kernel() {
	tile := cl.Local[[n]int32]()
	l := cl.GetLocalID(0)
	tile[l] = int32(l)
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	cl.Assert(int(tile[(l+1)%n]) == (l+1)%n, "the neighbour has written")
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(n, n))
	cl.Finish()
}
