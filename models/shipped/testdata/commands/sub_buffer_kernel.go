// Command sub_buffer_kernel has kernels that get a buffer and parts of it.
//
// Derivation: API, clCreateSubBuffer: "concurrent reading from, writing to and copying between
// both a buffer object and its sub-buffer object(s) is undefined", and so it is of sub-buffers
// that overlap; only reading from both is defined. A kernel that writes to one and uses the other
// does that, whichever elements they are: an argument that is not allowed. What it only asks
// for the length of it does not use; one object twice is one object; and commands that
// come one after the other are not concurrent.
//
//clmc:expect verified
//clmc:expect -D how=1 violated CL1008
//clmc:expect -D how=2 violated CL1008
//clmc:expect -D how=3 verified
//clmc:expect -D how=4 violated CL1008
//clmc:expect -D how=5 verified
//clmc:expect -D how=6 violated CL1008
//clmc:expect -D how=7 verified
//clmc:expect -D how=8 violated CL1008
//clmc:expect -D how=9 violated CL1008
//clmc:expect -D how=10 verified
//clmc:expect -D how=11 violated CL1008
//clmc:expect -D how=12 verified
package main

import "github.com/clmc/clmc/models/cl"

const how = 0

var whole = cl.NewBuffer[int32](8)
var out = cl.NewBuffer[int32](8)
var tail = cl.CreateSubBuffer(whole, 4, 4)
var counts = cl.NewBuffer[cl.AtomicInt](4)

func add(a, b, to []int32) {
	i := cl.GetGlobalID(0)
	to[i] = a[i] + b[i]
}

func scale(a []int32) { a[cl.GetGlobalID(0)] *= 2 }

func main() {
	a, b, c := cl.CreateSubBuffer(whole, 0, 4), cl.CreateSubBuffer(whole, 2, 4), cl.CreateSubBuffer(whole, 4, 4)
	n := cl.CreateSubBuffer(counts, 1, 2)
	two := cl.NDRange1D(2, 1)
	switch how {
	case 0: // only read
		cl.EnqueueNDRangeKernel(func() { add(a, b, out) }, two)
	case 1: // b is written, and overlaps a
		cl.EnqueueNDRangeKernel(func() { add(a, a, b) }, two)
	case 2: // a buffer and its part
		cl.EnqueueNDRangeKernel(func() { add(whole, whole, c) }, two)
	case 3: // disjoint parts
		cl.EnqueueNDRangeKernel(func() { add(a, a, c) }, two)
	case 4: // of package level
		cl.EnqueueNDRangeKernel(func() { tail[cl.GetGlobalID(0)] = whole[cl.GetGlobalID(0)] }, two)
	case 5: // the same twice
		cl.EnqueueNDRangeKernel(func() { add(a, a, a) }, two)
	case 6: // in a helper
		cl.EnqueueNDRangeKernel(func() { scale(b); out[cl.GetGlobalID(0)] = a[0] }, two)
	case 7: // one after the other
		cl.EnqueueNDRangeKernel(func() { scale(b) }, two)
		cl.EnqueueNDRangeKernel(func() { add(a, c, out) }, two)
	case 8: // atomic operations
		cl.EnqueueNDRangeKernel(func() { cl.AtomicFetchAdd(&n[0], 1); cl.AtomicLoad(&counts[3]) }, two)
	case 9: // in a kernel that the kernel enqueues
		cl.EnqueueNDRangeKernel(func() {
			cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), func() { b[0] = a[0] })
		}, cl.NDRange1D(1, 1))
	case 10: // atomic loads
		cl.EnqueueNDRangeKernel(func() { cl.AtomicLoad(&n[0]); cl.AtomicLoad(&counts[3]) }, two)
	case 11: // by an address
		cl.EnqueueNDRangeKernel(func() {
			p := &b[1]
			*p = 1
			for _, x := range a {
				if x > 1 {
					out[cl.GetGlobalID(0)] = x
				}
			}
		}, cl.NDRange1D(1, 1))
	case 12: // a length is no access
		cl.EnqueueNDRangeKernel(func() { b[cl.GetGlobalID(0)] = int32(len(whole)) }, two)
	}
	cl.Finish()
}
