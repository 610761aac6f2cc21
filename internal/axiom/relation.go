package axiom

import (
	"iter"
	"math/bits"
)

// set is a set of events.
type set uint64

func (s set) has(i int) bool { return s>>i&1 != 0 }

func (s *set) add(i int) { *s |= 1 << i }

// all yields the members in order.
func (s set) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(bits.TrailingZeros64(uint64(s))) {
				return
			}
		}
	}
}

// relation holds the successors of each event.
type relation []set

func newRelation(n int) relation { return make(relation, n) }

func (r relation) has(a, b int) bool { return r[a].has(b) }

func (r relation) add(a, b int) { r[a].add(b) }

// include adds the pairs of s.
func (r relation) include(s relation) {
	for i := range r {
		r[i] |= s[i]
	}
}

// empty reports whether r relates nothing.
func (r relation) empty() bool {
	for _, s := range r {
		if s != 0 {
			return false
		}
	}
	return true
}

// close makes r transitive.
func (r relation) close() {
	for k := range r {
		for i := range r {
			if r[i].has(k) {
				r[i] |= r[k]
			}
		}
	}
}

// irreflexive reports whether no event is related to itself: for a transitive
// relation, that it has no cycle.
func (r relation) irreflexive() bool {
	for i := range r {
		if r[i].has(i) {
			return false
		}
	}
	return true
}

// acyclic reports whether r has no cycle.
func (r relation) acyclic() bool {
	c := append(relation(nil), r...)
	c.close()
	return c.irreflexive()
}

// compose returns the pairs (a, c) with a r b and b s c.
func (r relation) compose(s relation) relation {
	out := newRelation(len(r))
	for i := range r {
		for j := range r[i].all() {
			out[i] |= s[j]
		}
	}
	return out
}
