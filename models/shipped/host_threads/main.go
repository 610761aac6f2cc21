// Command host_threads hands a value from one host thread to another, which
// gives it to a kernel.
//
// Idiom: host threads, C11 atomics and in-order commands. Source: OpenCL 3.3.7
// (host threads are units of execution), 3.3.7.5.
//
// Derivation: the start of a thread orders what its starter did before it. The
// atomics of host threads work together on all memory that the host may touch,
// so the flag synchronises (rule 6.1) and the write of data happens before the
// read and the enqueue (rule 5.5), which happens before the kernel (rules 12.1,
// 12.9). The kernel's write happens before the return of clFinish (rules 12.8,
// 12.9), and the second flag orders that before the first thread's read.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

var (
	data        int32
	ready, done cl.AtomicInt
)

func increment() { data++ }

func device() {
	for cl.AtomicLoadExplicit(&ready, cl.MemoryOrderAcquire) == 0 {
	}
	cl.Assert(data == 7, "the other thread's value is here")
	cl.EnqueueNDRangeKernel(increment, cl.NDRange1D(1, 1))
	cl.Finish()
	cl.AtomicStoreExplicit(&done, 1, cl.MemoryOrderRelease)
}

func main() {
	data = 6
	go device()
	data = 7
	cl.AtomicStoreExplicit(&ready, 1, cl.MemoryOrderRelease)
	for cl.AtomicLoadExplicit(&done, cl.MemoryOrderAcquire) == 0 {
	}
	cl.Assert(data == 8, "the kernel has added one")
}
