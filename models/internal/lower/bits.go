package lower

import (
	"math/bits"
	"slices"
)

// bitset is a set of small integers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

// newBitsets returns so many sets for integers below n.
func newBitsets(count, n int) []bitset {
	words := (n + 63) / 64
	all, sets := make(bitset, count*words), make([]bitset, count)
	for i := range sets {
		sets[i] = all[i*words : (i+1)*words : (i+1)*words]
	}
	return sets
}

func (s bitset) has(i int32) bool { return s[i>>6]&(1<<(i&63)) != 0 }
func (s bitset) add(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s bitset) remove(i int32)   { s[i>>6] &^= 1 << (i & 63) }

// union adds the members of o and reports whether there were new ones.
func (s bitset) union(o bitset) bool {
	changed := false
	for i, w := range o {
		changed = changed || w&^s[i] != 0
		s[i] |= w
	}
	return changed
}

// intersect removes what is not in o.
func (s bitset) intersect(o bitset) {
	for i := range s {
		s[i] &= o[i]
	}
}

// subtract removes the members of o.
func (s bitset) subtract(o bitset) {
	for i, w := range o {
		s[i] &^= w
	}
}

// empty reports whether there are no members.
func (s bitset) empty() bool { return !slices.ContainsFunc(s, func(w uint64) bool { return w != 0 }) }

func (s bitset) equal(o bitset) bool { return slices.Equal(s, o) }

// count returns how many members there are.
func (s bitset) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// each calls f with every member.
func (s bitset) each(f func(int32)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			f(int32(i<<6 + bits.TrailingZeros64(w)))
		}
	}
}
