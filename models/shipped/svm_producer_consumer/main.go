// Command svm_producer_consumer passes numbers from the host to a running kernel through a ring in
// shared virtual memory. The kernel is in OpenCL C, in kernel.cl.
//
// Idiom: producer and consumer over fine-grained SVM with atomics. Source: OpenCL 3.3.7.1.
//
// Derivation: the counts are shared atomics of host and device (rule 2.8). The host publishes an element by
// the release of written, which the kernel acquires before it reads it; the kernel says by the release of
// taken that it has read it, and the host acquires that before it writes the same place again (rule
// 6.1). So the accesses to the ring are ordered, and the sum is that of all elements, read after clFinish
// (rule 12.8). If the host counts relaxed (published=false), the element is raced for (rule 9.1).
//
//clmc:expect verified
//clmc:expect -D published=false violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const (
	n         = 3
	size      = 2
	published = true
)

//cl:program kernel.cl -cl-std=CL2.0
var kernels struct {
	Consume func(ring []int32, written, taken []cl.Atomic[int32], sum []int32, n, size int32)
}

//cl:memory svm_fine_atomics
var (
	ring           [size]int32
	written, taken [1]cl.Atomic[int32]
)

var sum [1]int32

func main() {
	cl.EnqueueNDRangeKernel(func() { kernels.Consume(ring[:], written[:], taken[:], sum[:], n, size) }, cl.NDRange1D(1, 1))
	for i := range int32(n) {
		for i-cl.AtomicLoadExplicit(&taken[0], cl.MemoryOrderAcquire) >= size {
		}
		ring[i%size] = i + 1
		if published {
			cl.AtomicStoreExplicit(&written[0], i+1, cl.MemoryOrderRelease)
		} else {
			cl.AtomicStoreExplicit(&written[0], i+1, cl.MemoryOrderRelaxed)
		}
	}
	cl.Finish()
	cl.Assert(sum[0] == n*(n+1)/2, "all elements were taken")
}
