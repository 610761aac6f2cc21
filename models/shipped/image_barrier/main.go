// Command image_barrier exchanges values with the neighbour through an image.
//
// Idiom: stencil on a read_write image. Source: OpenCL C 6.15.8, OpenCL 3.3.7.3.
//
// Derivation: a barrier with the image flag makes what its work-items have
// written to images visible to the others of the group (rules 4.5, 11.3). One
// with the flags of other memory does not order images (rule 4.4): the write and
// the neighbour's read race (rule 9.1), as they do across work-groups, which no
// barrier joins (there the read may also come first, and find 0). In the next kernel everything is visible (rules 12.5, 12.9).
//
//clmc:expect verified
//clmc:expect -D image=false violated CL1001
//clmc:expect -D others=true verified
//clmc:expect -D image=false -D others=true violated CL1001
//clmc:expect -D local=1 violated CL1001
//clmc:expect -D local=1 -D next=true verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n      = 2
	local  = n
	image  = true  // the barrier orders images
	others = false // and other memory
	next   = false // read in a kernel of its own
)

var picture = cl.NewImage2D[uint32](n, 1)

func write() {
	x := cl.GetGlobalID(0)
	cl.WriteImageui(picture, [2]int{x, 0}, uint32(x)+1)
	if !next {
		barrier()
		read()
	}
}

func barrier() {
	switch {
	case image && others:
		cl.WorkGroupBarrier(cl.CLKImageMemFence | cl.CLKGlobalMemFence | cl.CLKLocalMemFence)
	case image:
		cl.WorkGroupBarrier(cl.CLKImageMemFence)
	case others:
		cl.WorkGroupBarrier(cl.CLKGlobalMemFence | cl.CLKLocalMemFence)
	default:
		cl.WorkGroupBarrier(0)
	}
}

func read() {
	x := (cl.GetGlobalID(0) + 1) % cl.GetImageWidth(picture)
	v := cl.ReadImageui(picture, [2]int{x, 0})
	cl.Assert(v == uint32(x)+1 || v == 0 && local < n && !next, "the neighbour's value has arrived")
}

func main() {
	cl.EnqueueNDRangeKernel(write, cl.NDRange1D(n, local))
	if next {
		cl.EnqueueNDRangeKernel(read, cl.NDRange1D(n, local))
	}
	cl.Finish()
}
