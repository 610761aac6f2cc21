// Command stop_flag runs a persistent kernel that the host feeds and stops.
//
// Idiom: persistent kernel with requests, replies and a stop flag in
// fine-grained SVM with atomics. Source: OpenCL 3.3.7.1; persistent threads.
//
// Derivation: request and reply are shared atomics of host and device (rule
// 2.8). Each request is published by a release that the kernel acquires, each
// result by a release that the host acquires (rule 6.1), so input and result are
// accessed in turns (rules 5.5, 7.1). The stop request ends the kernel's loop,
// and clFinish returns (rule 12.8). The host must not wait for the kernel before
// it has told it to stop.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	rounds = 2
	stop   = -1
)

//cl:memory svm_fine_atomics
var (
	input, result  int32
	request, reply cl.AtomicInt
)

func server() {
	last := int32(0)
	for {
		r := cl.AtomicLoadExplicit(&request, cl.MemoryOrderAcquire, cl.MemoryScopeAllSVMDevices)
		if r == stop {
			return
		}
		if r == last {
			continue
		}
		last = r
		result = 2 * input
		cl.AtomicStoreExplicit(&reply, r, cl.MemoryOrderRelease, cl.MemoryScopeAllSVMDevices)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(server, cl.NDRange1D(1, 1))
	for i := int32(1); i <= rounds; i++ {
		input = 10 * i
		cl.AtomicStoreExplicit(&request, i, cl.MemoryOrderRelease)
		for cl.AtomicLoadExplicit(&reply, cl.MemoryOrderAcquire) != i {
		}
		cl.Assert(result == 20*i, "the reply belongs to the request")
	}
	cl.AtomicStoreExplicit(&request, stop, cl.MemoryOrderRelaxed)
	cl.Finish()
	cl.Reachable("the kernel has stopped")
}
