package memmodel

import (
	"cmp"
	"slices"
)

// compact rewrites the pools so that they hold what is reachable, in
// canonical order, and published vectors only what some reader can lack.
func (c *Canon) compact(m *Memory) {
	c.levelViews(m)
	c.snaps, c.srcs = c.snaps[:0], c.srcs[:0]
	for a := range m.L.atomics {
		c.compactMessages(m, a)
	}
	m.srcs, c.srcs = c.srcs, m.srcs[:0]
	for u := range m.L.units() {
		if m.Live(u) {
			m.relfHead[u] = c.keep(m, m.relf, m.relfHead[u], c.low)
		}
	}
	m.relf, c.srcs = c.srcs, m.relf[:0]
	for u := range m.L.units() {
		switch {
		case !m.Live(u):
			m.adopt(u, none)
			if m.L.images {
				m.committed[u] = 0
			}
		case m.pendHead[u] == none:
		case c.cannotAcquire(m, u):
			m.pendHead[u] = none
		default:
			m.pendHead[u] = c.keep(m, m.pend, m.pendHead[u], c.knownTo(m, u))
		}
	}
	m.pend, c.srcs = c.srcs, m.pend[:0]
	m.snaps, c.snaps = c.snaps, m.snaps
}

// compactMessages is compact for the messages of one location. Who takes a release from
// one of them has seen that message, and so as much of the location as the release did.
// docs/exploration/canonical-form.md, "What a release says of its own location".
func (c *Canon) compactMessages(m *Memory, a int) {
	own := &c.low[m.L.slot[a]]
	low := *own
	if !m.L.Traits.SeqCst {
		*own = everything
	}
	for i := m.start[a]; i < m.start[a+1]; i++ {
		q := &m.msgs[i]
		if !m.L.Traits.SeqCst {
			q.event = 0
		}
		q.src = c.keep(m, m.srcs, q.src, c.low)
	}
	*own = low
}

// knownTo returns what nothing need tell unit u any more: what it has seen, and
// what all have seen who may use it.
func (c *Canon) knownTo(m *Memory, u Unit) []uint32 {
	c.known = append(c.known[:0], m.view(u)...)
	m.whole(c.known, u)
	for i, v := range c.low {
		c.known[i] = max(c.known[i], v)
	}
	return c.known
}

// keep copies a list of sources into c.srcs, sorted, without those that tell
// nothing beyond `known`, and returns the copy's head.
func (c *Canon) keep(m *Memory, pool []messageView, head int32, known []uint32) int32 {
	if head == none {
		return none
	}
	c.list = c.list[:0]
	for i := head; i != none; i = pool[i].next {
		c.list = append(c.list, pool[i])
	}
	if len(c.list) > 1 {
		slices.SortFunc(c.list, compareSources)
	}
	first, last := int32(none), int32(none)
	for _, s := range c.list {
		news := known
		if s.key.sc && !m.L.Spec.SCBoth {
			news = c.low // what a unit has seen its fences need not pass on (rule 6.8)
		}
		if s.snap = c.reduce(m, s.snap, news); s.snap == none {
			continue
		}
		s.event, s.next = 0, none
		at := int32(len(c.srcs))
		if first == none {
			first = at
		} else {
			c.srcs[last].next = at
		}
		last = at
		c.srcs = append(c.srcs, s)
	}
	return first
}

func compareSources(a, b messageView) int {
	return cmp.Or(cmp.Compare(a.key.unit, b.key.unit), cmp.Compare(a.loc, b.loc), boolCompare(a.key.fence, b.key.fence),
		cmp.Compare(a.key.scope, b.key.scope), cmp.Compare(a.key.flags, b.key.flags), boolCompare(a.key.sc, b.key.sc))
}

// reduce copies a published vector into c.snaps, without what is known
// already, and returns its index there, or none if nothing is left. Equal
// vectors are kept once.
func (c *Canon) reduce(m *Memory, snap int32, known []uint32) int32 {
	w := m.L.width
	at := len(c.snaps)
	left := false
	told := w
	if m.L.images { // of which releases tell nobody (rule 6.10)
		told = int(m.L.bound[compImage])
	}
	for i, v := range m.snap(snap) {
		if v <= known[i] || i >= told {
			v = 0
		}
		left = left || v != 0
		c.snaps = append(c.snaps, v)
	}
	if !left {
		c.snaps = c.snaps[:at]
		return none
	}
	for old := 0; old < at; old += w {
		if slices.Equal(c.snaps[old:old+w], c.snaps[at:]) {
			c.snaps = c.snaps[:at]
			return int32(old / w)
		}
	}
	return int32(at / w)
}
