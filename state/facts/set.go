package facts

import (
	"iter"
	"math/bits"
)

// Set is a set of instructions of one function, of functions, of units, or of locations. It has room
// for as many as it was made for.
type Set []uint64

// Add adds a member, which must be one of those that there is room for.
func (s Set) Add(i int) { s[i>>6] |= 1 << (i & 63) }

// Has reports whether i, which must be one of those, is in the set.
func (s Set) Has(i int) bool { return s[i>>6]&(1<<(i&63)) != 0 }

// All iterates over the members, in their order.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// Union adds the members of another set, and reports whether some are new.
func (s Set) Union(o Set) (changed bool) {
	for i, w := range o {
		changed = changed || w&^s[i] != 0
		s[i] |= w
	}
	return changed
}

// UnionWithout is Union of what the other set has beside a third, which may be nil.
func (s Set) UnionWithout(o, but Set) (changed bool) {
	if but == nil {
		return s.Union(o)
	}
	for i, w := range o {
		w &^= but[i]
		changed = changed || w&^s[i] != 0
		s[i] |= w
	}
	return changed
}

// Meets reports whether the sets have a member in common.
func (s Set) Meets(o Set) bool {
	for i, w := range o {
		if w&s[i] != 0 {
			return true
		}
	}
	return false
}

// Holds is Has for sets that grow.
func (s Set) Holds(i int) bool { return i>>6 < len(s) && s.Has(i) }

// Insert adds i to a set that grows.
func (s *Set) Insert(i int) (changed bool) {
	for len(*s) <= i>>6 {
		*s = append(*s, 0)
	}
	changed = !s.Has(i)
	s.Add(i)
	return changed
}

// Unite adds the members of another set to one that grows.
func (s *Set) Unite(o Set) (changed bool) {
	for len(*s) < len(o) {
		*s = append(*s, 0)
	}
	return s.Union(o)
}
