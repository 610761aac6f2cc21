// Command ringbfs is one level of a breadth-first search on a ring of n vertices: work-item i visits i and i+1, and who sets a distance appends the vertex.
//
// Derivation: a compare-exchange of a distance succeeds once (rule 7.7), and one of two who try comes first, so each vertex is appended
// once; each place is given once, by an addition.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n = 2

	relaxed = cl.MemoryOrderRelaxed
	device  = cl.MemoryScopeDevice
)

var (
	distance [n]cl.AtomicUint
	tail     cl.AtomicUint
	front    [n]int32
)

func level() {
	i := cl.GetGlobalID(0)
	for d := range 2 {
		v, unseen := (i+d)%n, uint32(0)
		if cl.AtomicLoadExplicit(&distance[v], relaxed, device) == 0 && cl.AtomicCompareExchangeStrongExplicit(&distance[v], &unseen, 1, relaxed, relaxed, device) {
			front[cl.AtomicFetchAddExplicit(&tail, 1, relaxed, device)] = int32(v) + 1
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(level, cl.NDRange1D(n, 1))
	cl.Finish()
	sum := int32(0)
	for i := range n {
		sum += front[i]
	}
	cl.Assert(sum == n*(n+1)/2, "each vertex is appended once")
}
