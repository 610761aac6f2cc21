// Command image_fence reads an element of an image that the same work-item has
// written.
//
// Idiom: updating a read_write image in place. Source: OpenCL 3.3.5, OpenCL C
// 6.15.12.
//
// Derivation: without a fence with the image flag between them, a work-item's
// write of an image is not certain to be visible to its own later read (rule
// 6.10). A fence with another flag does not help (rule 4.4), nor does a relaxed
// one (rule 6.9); one that names other memory as well does. Each work-item has
// an element of its own, so that there is no race.
//
//clmc:expect verified
//clmc:expect -D fence=0 violated CL1016
//clmc:expect -D fence=2 violated CL1016
//clmc:expect -D fence=3 violated CL1016
//clmc:expect -D fence=4 verified
//clmc:expect -D fence=5 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n     = 2
	fence = 1
)

var image = cl.NewImage1D[int32](n)

func kernel() {
	i := cl.GetGlobalID(0)
	cl.WriteImagei(image, i, 1)
	switch fence {
	case 1:
		cl.AtomicWorkItemFence(cl.CLKImageMemFence, cl.MemoryOrderAcqRel, cl.MemoryScopeWorkItem)
	case 2:
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice)
	case 3:
		cl.AtomicWorkItemFence(cl.CLKImageMemFence, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkItem)
	case 4:
		cl.AtomicWorkItemFence(cl.CLKImageMemFence|cl.CLKGlobalMemFence, cl.MemoryOrderAcqRel, cl.MemoryScopeWorkGroup)
	case 5:
		cl.WorkGroupBarrier(cl.CLKImageMemFence)
	}
	cl.WriteImagei(image, i, cl.ReadImagei(image, i)+1)
}

func check() {
	i := cl.GetGlobalID(0)
	cl.Assert(cl.ReadImagei(image, i) == 2, "both writes have arrived")
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(n, n))
	cl.EnqueueNDRangeKernel(check, cl.NDRange1D(n, 1))
	cl.Finish()
}
