// Command indexer has n work-groups insert four values each into a hash table
// of 128 slots, with compare-exchange and linear probing.
//
// Derivation: value w goes to slot 7w mod 128. Values differ by less than 55,
// the inverse of 7, so slots next to a value's own are free of others; up to 11
// work-groups insert different values and never meet, and beyond, a value that
// is inserted twice takes the next slot the second time. So nobody probes more
// than twice.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n     = 4
	slots = 128
)

var table [slots]cl.AtomicInt

func insert() {
	for i := 1; i <= 4; i++ {
		w := i*11 + cl.GetGlobalID(0)
		probes := 0
		for h := w * 7 % slots; ; h = (h + 1) % slots {
			probes++
			expected := int32(0)
			if cl.AtomicCompareExchangeStrongExplicit(&table[h], &expected, int32(w),
				cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) {
				break
			}
		}
		cl.Assert(probes <= 2, "the own slot or the next is free")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(insert, cl.NDRange1D(n, 1))
	cl.Finish()
}
