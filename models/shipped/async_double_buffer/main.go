// Command async_double_buffer computes on one tile while the next is copied.
//
// Idiom: double buffering with async_work_group_copy. Source: OpenCL C 6.15.11.
//
// Derivation: the copy of step i+1 writes the tile that step i does not read, so
// that it may run at the same time. Before the copy of step i+2 may overwrite the
// tile of step i, all work-items must have read it: the barrier at the end of a
// step orders these reads before the next call in all of them (rules 11.3, 11.7).
// Without it the copy, which comes after what happens before the call in all
// work-items, races with a read by one (rule 9.1). With one buffer the copy for the
// next step races with the reads of this one, barrier or not.
//
//clmc:expect verified
//clmc:expect -D barrier=false violated CL1001
//clmc:expect -D buffers=1 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const (
	n       = 2
	steps   = 3
	buffers = 2
	barrier = true
)

var source [steps * n]int32

func kernel() {
	tiles := cl.Local[[2][n]int32]()
	l := cl.GetLocalID(0)
	sum := int32(0)
	next := cl.AsyncWorkGroupCopy(tiles[0][:], source[:n], n, 0)
	for i := range steps {
		cl.WaitGroupEvents(next)
		if i+1 < steps {
			from := (i + 1) * n
			next = cl.AsyncWorkGroupCopy(tiles[(i+1)%buffers][:], source[from:from+n], n, 0)
		}
		sum += tiles[i%buffers][(l+1)%n]
		if barrier {
			cl.WorkGroupBarrier(cl.CLKLocalMemFence)
		}
	}
	cl.Assert(sum == int32(3*n+3*((l+1)%n)), "every step has seen its tile")
}

func main() {
	for i := range steps * n {
		source[i] = int32(i)
	}
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(n, n))
	cl.Finish()
}
