// Command lb_two_helpers is load buffering in which a store behind two branches can be
// seen early only because two stores of another work-item can.
//
// Shape: LB with a control dependency on two loads, and a third work-item that writes last.
// Source: derived from OpenCL 3.3.7.1 and the certification of promises.
//
// Derivation: work-item 1 stores 1 to x and z whatever it loads, and can promise both. With
// both promised work-item 0, alone, reads 1 twice and comes to y = 1: it can promise that, and
// with one of them only it cannot. Work-item 2 adds to y after the promise, and writes 2 to x
// and z, which releases and so comes after its addition. The others then load: work-item 1 the
// sum 2, work-item 0 both 2, so that it keeps its promise. No value comes out of thin air (rule
// 7.8): y = 1 depends on x and z being written, which is certain. Without promises work-item 2
// reads y = 1 only after work-item 0 has read x and z, when it has not written them.
//
//clmc:expect violated CL1004
//clmc:expect promises=0 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	relaxed = cl.MemoryOrderRelaxed
	release = cl.MemoryOrderRelease
	device  = cl.MemoryScopeDevice
)

var (
	x, y, z    cl.AtomicInt
	a, b, c, d int32
)

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		a = cl.AtomicLoadExplicit(&x, relaxed, device)
		if a != 0 {
			b = cl.AtomicLoadExplicit(&z, relaxed, device)
			if b != 0 {
				cl.AtomicStoreExplicit(&y, 1, relaxed, device)
			}
		}
	case 1:
		c = cl.AtomicLoadExplicit(&y, relaxed, device)
		cl.AtomicStoreExplicit(&x, 1, relaxed, device)
		cl.AtomicStoreExplicit(&z, 1, relaxed, device)
	case 2:
		d = cl.AtomicFetchAddExplicit(&y, 1, relaxed, device)
		cl.AtomicStoreExplicit(&x, 2, release, device)
		cl.AtomicStoreExplicit(&z, 2, release, device)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(3, 1))
	cl.Finish()
	cl.Assert(!(a == 2 && b == 2 && c == 2 && d == 1), "somebody has read a store before its work-item had a reason for it")
}
