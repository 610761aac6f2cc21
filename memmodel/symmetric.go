package memmodel

import "slices"

// This file tells units apart without giving them other names.

// Named returns the set of the units that m, which must be canonical, names somewhere, whatever for: all
// whom an exchange of names could make a difference to but for what they have seen themselves. It uses the
// space of the set that it is given.
func (m *Memory) Named(set []uint64) []uint64 {
	set = resize(set, wordsOf(len(m.L.Units)))
	if m.L.Traits.SeqCst { // the order S may name any
		for i := range set {
			set[i] = ^uint64(0)
		}
		return set
	}
	for u, n := range m.count { // of the others no clock knows anything
		setBit(set, u, n > 0)
	}
	for i := range m.msgs {
		if w := m.msgs[i].writer; w >= 0 {
			setBit(set, int(w), true)
		}
	}
	for _, pool := range [...][]messageView{m.srcs, m.relf, m.pend} {
		for i := range pool {
			setBit(set, int(pool[i].key.unit), true)
		}
	}
	for i := range m.recs {
		setBit(set, int(m.recs[i].unit), true)
	}
	for i := range m.guards {
		setBit(set, int(m.guards[i].owner), true)
	}
	for i := range m.promises {
		setBit(set, int(m.promises[i].unit), true)
	}
	return set
}

// Symmetric reports whether two units that m, which must be canonical, does not name have seen the same, so that it stays
// as it is when they are exchanged.
func (m *Memory) Symmetric(t, u Unit) bool {
	return m.Live(t) == m.Live(u) && m.Acting(t) == m.Acting(u) && slices.Equal(m.view(t), m.view(u)) &&
		sameSources(m.relf, m.relfHead[t], m.relfHead[u]) && sameSources(m.pend, m.pendHead[t], m.pendHead[u])
}

// sameSources reports whether two lists of a pool are equal.
func sameSources(pool []messageView, i, j int32) bool {
	for ; i != none && j != none; i, j = pool[i].next, pool[j].next {
		p, q := &pool[i], &pool[j]
		if p.key != q.key || p.loc != q.loc || p.event != q.event || p.snap != q.snap {
			return false
		}
	}
	return i == j
}
