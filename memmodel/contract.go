package memmodel

import (
	"cmp"
	"math/bits"
	"slices"
)

// This file keeps the graph of seq_cst events small and canonical.

// contracts reports whether events of the seq_cst graph can be replaced by
// their open predecessors: not where each edge depends on the scopes of its
// two ends.
func (m *Memory) contracts() bool { return m.L.Spec.SC != SCScoped }

// makeRoom contracts the graph in the middle of things, and reports whether it has
// become smaller.
func (m *Memory) makeRoom() bool {
	n := len(m.sc.events)
	m.Thin()
	return len(m.sc.events) < n
}

// Thin contracts the graph of seq_cst operations and leaves all else as it is.
func (m *Memory) Thin() {
	if len(m.sc.events) > 0 {
		var c Canon
		c.common(m)
		c.contract(m)
	}
}

// inherit keeps what dropped messages still demand of later seq_cst events.
func (m *Memory) inherit(a int, dropped []message) {
	g := &m.sc
	for i := range dropped {
		q := &dropped[i]
		if q.writer != initial && !q.na {
			g.beforeNext[q.writer] |= g.baseFences[a]
		}
		g.baseWrites[a] |= q.beforeWrites | q.beforeKnown
		g.baseFences[a] |= q.beforeFences
	}
}

// contract removes the events of the seq_cst graph that can get no edge from
// a later event any more, nor are needed for loads that are undecided. Whatever they
// precede, their open predecessors precede too.
func (c *Canon) contract(m *Memory) {
	g := &m.sc
	if !m.contracts() {
		c.dropRepeated(m)
		return
	}
	m.decide()
	var open scSet
	for a, x := range m.L.atomics {
		if m.gappy() {
			open |= m.kept(x)
		}
		list := m.list(x)
		for i := range list {
			if uint32(i) < c.low[m.L.slot[a]] {
				continue
			}
			if e := m.scWriteEvent(&list[i]); e != scNone {
				open |= scBit(e)
			}
			open |= m.fencesAfter(&list[i])
		}
	}
	all := scSet(1)<<len(g.events) - 1
	if closed := all &^ open; closed != 0 {
		c.dissolve(m, closed)
	}
}

// dissolve takes events out of the seq_cst graph. What they precede the others that
// precede them do, where edges do not depend on the scopes of their ends.
func (c *Canon) dissolve(m *Memory, closed scSet) {
	if !m.contracts() {
		c.remove(m, closed)
		return
	}
	g := &m.sc
	n := len(m.L.Units) * m.L.ncomps
	var before [scLimit]scSet // of a closed event: its open predecessors
	for o := range g.events {
		if closed.has(o) {
			continue
		}
		for rest := g.events[o].after & closed; rest != 0; rest &= rest - 1 {
			e := bits.TrailingZeros64(uint64(rest))
			before[e] |= scBit(o)
			joinMin(g.thresholds[o*n:(o+1)*n], g.thresholds[e*n:(e+1)*n])
		}
	}
	m.eachSCSet(func(s *scSet) {
		gone := *s & closed
		*s &^= closed
		for ; gone != 0; gone &= gone - 1 {
			*s |= before[bits.TrailingZeros64(uint64(gone))]
		}
	})
	c.remove(m, closed)
}

// dropRepeated removes loads that a later load of the same unit stands for, where nothing
// else can be removed: no later event is put before a load.
func (c *Canon) dropRepeated(m *Memory) {
	var loads, gone scSet
	for e := range m.sc.events {
		if ev := &m.sc.events[e]; !ev.write && !ev.fence {
			loads |= scBit(e)
		}
	}
	for e := range m.sc.events {
		if loads.has(e) && m.repeated(e, loads&^gone) {
			gone |= scBit(e)
		}
	}
	if gone != 0 {
		c.remove(m, gone)
	}
}

// remove takes events out of the graph and out of all sets.
func (c *Canon) remove(m *Memory, gone scSet) {
	c.order = c.order[:0]
	for e := range m.sc.events {
		if !gone.has(e) {
			c.order = append(c.order, e)
		}
	}
	c.permute(m)
}

func joinMin(dst, src []uint32) {
	for i, s := range src {
		dst[i] = min(dst[i], s)
	}
}

// eachSCSet calls f with every set of events outside the graph's own.
func (m *Memory) eachSCSet(f func(*scSet)) {
	m.eachConstraint(f)
	for i := range m.msgs {
		f(&m.msgs[i].beforeKnown)
	}
}

// eachConstraint calls f with every set outside the graph's own that constrains
// later events as it stands.
func (m *Memory) eachConstraint(f func(*scSet)) {
	for i := range m.msgs {
		q := &m.msgs[i]
		f(&q.beforeWrites)
		f(&q.beforeFences)
	}
	for _, sets := range [...][]scSet{m.sc.baseWrites, m.sc.baseFences, m.sc.beforeNext, m.sc.fences} {
		for i := range sets {
			f(&sets[i])
		}
	}
}

// reduceGraph leaves out of the graph's sets what follows from the rest, and
// puts into the thresholds what follows, so that neither depends on when
// events were contracted.
func (m *Memory) reduceGraph() {
	g := &m.sc
	if !m.L.Traits.SeqCst {
		return
	}
	n := len(m.L.Units) * m.L.ncomps
	for o := range g.events {
		for rest := g.events[o].after; rest != 0; rest &= rest - 1 {
			e := bits.TrailingZeros64(uint64(rest))
			joinMin(g.thresholds[o*n:(o+1)*n], g.thresholds[e*n:(e+1)*n])
		}
	}
	for u := range m.L.units() {
		if !m.Live(u) {
			g.beforeNext[u], g.fences[u] = 0, 0
		}
	}
	reduce := m.eachSCSet
	if m.gappy() { // each undecided load has a place to find
		reduce = m.eachConstraint
	}
	reduce(func(s *scSet) {
		for rest := *s; rest != 0; rest &= rest - 1 {
			if e := bits.TrailingZeros64(uint64(rest)); g.events[e].after&*s != 0 {
				*s &^= scBit(e)
			}
		}
	})
}

// sortEvents numbers the graph's events by unit and event.
func (c *Canon) sortEvents(m *Memory) {
	g := &m.sc
	if len(g.events) < 2 {
		return
	}
	c.order = c.order[:0]
	for e := range g.events {
		c.order = append(c.order, e)
	}
	slices.SortFunc(c.order, func(a, b int) int {
		p, q := &g.events[a], &g.events[b]
		return cmp.Or(cmp.Compare(p.unit, q.unit), cmp.Compare(p.event, q.event))
	})
	if !slices.IsSorted(c.order) {
		c.permute(m)
	}
}

// permute renumbers the graph's events: order[i] becomes i, others vanish.
func (c *Canon) permute(m *Memory) {
	g, n := &m.sc, len(m.L.Units)
	var to [scLimit]int8
	for i := range to {
		to[i] = -1
	}
	for i, e := range c.order {
		to[e] = int8(i)
	}
	rename := func(s *scSet) {
		var r scSet
		for rest := *s; rest != 0; rest &= rest - 1 {
			if i := to[bits.TrailingZeros64(uint64(rest))]; i >= 0 {
				r |= scBit(int(i))
			}
		}
		*s = r
	}
	old := &c.graph
	old.events, g.events = g.events, old.events[:0]
	old.thresholds, g.thresholds = g.thresholds, old.thresholds[:0]
	old.clocks, g.clocks = g.clocks, old.clocks[:0]
	for _, e := range c.order {
		g.events = append(g.events, old.events[e])
		g.thresholds = append(g.thresholds, old.thresholds[e*n*m.L.ncomps:(e+1)*n*m.L.ncomps]...)
		g.clocks = append(g.clocks, old.clocks[e*n:(e+1)*n]...)
	}
	for i := range g.events {
		rename(&g.events[i].after)
	}
	m.eachSCSet(rename)
}
