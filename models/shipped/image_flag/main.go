// Command image_flag hands an element of an image over by an atomic flag.
//
// Shape: MP with data in an image. Source: OpenCL 3.3.5, 3.3.7.2.
//
// Derivation: fences with the global flag order global memory, through a global
// flag (rule 6.3). Images have a flag of their own (rule 4.4), of which the rules on
// fences and atomics say only that a work-item needs it for what it has written
// itself (rule 6.10): nothing orders the write before the other's read, and they
// race (rule 9.1), whether the fences name the image flag or not.
//
//clmc:expect violated CL1001
//clmc:expect -D named=true violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const named = false

var (
	image = cl.NewImage1D[float32](1)
	flag  cl.AtomicInt
)

func kernel() {
	if cl.GetGlobalID(0) == 0 {
		cl.WriteImagef(image, 0, 0.5)
		fence()
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	} else if cl.AtomicLoadExplicit(&flag, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1 {
		fence()
		cl.Assert(cl.ReadImagef(image, 0) == 0.5, "the value arrived")
	}
}

func fence() {
	if named {
		cl.AtomicWorkItemFence(cl.CLKImageMemFence|cl.CLKGlobalMemFence, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice)
	} else {
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
