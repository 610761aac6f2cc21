// Command boundedq is a bounded queue of sz cells with a sequence number each (Vyukov's): p producers put k values in
// each, c consumers take p*k/c each. The host initialises the numbers, as real programs do, unless inits is 0: then they are counted from 0.
//
// Derivation: who puts a value into a cell has advanced the tail by a compare-exchange, so nobody else has its place; it stores the cell's number with
// release when the value is there, and who takes the value has acquired that number (rule 6.1). The next to use the cell has acquired the number that the taker
// stores. So values are ordered, and each is taken once. What the host does comes before and behind all of that (rules 12.1, 12.8).
//
//clmc:expect verified
//clmc:expect -D inits=0 verified
//clmc:expect -D p=2 -D k=1 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	p     = 1
	c     = 1
	k     = 2
	sz    = 2
	inits = 1

	relaxed = cl.MemoryOrderRelaxed
	acquire = cl.MemoryOrderAcquire
	release = cl.MemoryOrderRelease
	device  = cl.MemoryScopeDevice
)

var (
	head, tail cl.AtomicUint
	number     [sz]cl.AtomicUint
	cell       [sz]int32
	sum        [c]int32
)

// first is what number begins with that counts as 0.
func first(place uint32) uint32 {
	if inits != 0 {
		return 0
	}
	return place % sz
}

func put(v int32) {
	for {
		t := cl.AtomicLoadExplicit(&tail, relaxed, device)
		if cl.AtomicLoadExplicit(&number[t%sz], acquire, device)+first(t) != t {
			continue
		}
		if cl.AtomicCompareExchangeStrongExplicit(&tail, &t, t+1, relaxed, relaxed, device) {
			cell[t%sz] = v
			cl.AtomicStoreExplicit(&number[t%sz], t+1-first(t), release, device)
			return
		}
	}
}

func take() int32 {
	for {
		h := cl.AtomicLoadExplicit(&head, relaxed, device)
		if cl.AtomicLoadExplicit(&number[h%sz], acquire, device)+first(h) != h+1 {
			continue
		}
		if cl.AtomicCompareExchangeStrongExplicit(&head, &h, h+1, relaxed, relaxed, device) {
			v := cell[h%sz]
			cl.AtomicStoreExplicit(&number[h%sz], h+sz-first(h), release, device)
			return v
		}
	}
}

func work() {
	i := cl.GetGlobalID(0)
	if i < p {
		for j := range k {
			put(int32(i*k + j + 1))
		}
		return
	}
	for range p * k / c {
		sum[i-p] += take()
	}
}

func main() {
	if inits != 0 {
		for i := range sz {
			cl.AtomicInit(&number[i], uint32(i))
		}
	}
	cl.EnqueueNDRangeKernel(work, cl.NDRange1D(p+c, 1))
	cl.Finish()
	all := int32(0)
	for i := range c {
		all += sum[i]
	}
	cl.Assert(all == p*k*(p*k+1)/2, "each value is taken once")
}
