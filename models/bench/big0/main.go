// Command big0 has two work-groups write and two read four locations several
// times, without looking at what they read. The writers go round n times.
//
// Derivation: atomic accesses do not race (rule 9.1), and nothing is asserted.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const n = 3

var x, y, z, w cl.AtomicInt

func load(v *cl.AtomicInt) {
	cl.AtomicLoadExplicit(v, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
}

func store(v *cl.AtomicInt, value int32) {
	cl.AtomicStoreExplicit(v, value, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func access() {
	switch cl.GetGlobalID(0) {
	case 0:
		load(&x)
		load(&y)
		load(&z)
		load(&w)
		load(&x)
		load(&y)
		load(&z)
	case 1:
		load(&x)
		load(&y)
		load(&z)
	case 2:
		for i := range n {
			store(&x, int32(i)+1)
			store(&y, int32(i)+1)
		}
	case 3:
		for i := range n {
			store(&z, int32(i)+1)
			store(&w, int32(i)+1)
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(access, cl.NDRange1D(4, 1))
	cl.Finish()
}
