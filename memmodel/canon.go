package memmodel

import (
	"cmp"
	"math/bits"
	"slices"
)

// Canon brings memories into canonical form: what no future operation can
// depend on is dropped, and what remains is named by its place among what
// remains. Two memories with the same canonical form allow the same futures.
// A Canon holds scratch space only; one serves one goroutine.
type Canon struct {
	low   []uint32 // per vector entry: what every acting unit has seen
	refs  [][]uint32
	order []int
	snaps []uint32
	srcs  []source
	recs  []record
	list  []source
}

// Normalise makes m canonical.
func (c *Canon) Normalise(m *Memory) {
	c.common(m)
	if m.L.Traits.SeqCst && len(m.sc.events) > 0 {
		if m.contracts() {
			c.contract(m)
		}
	}
	c.dropGuards(m)
	if !m.L.Traits.SeqCst || len(m.sc.events) == 0 || m.contracts() {
		for a, x := range m.L.atomics {
			c.dropMessages(m, a, int(x))
		}
	}
	c.dropRecords(m)
	c.sortEvents(m)
	c.rank(m)
	c.common(m)
	c.compact(m)
}

// common computes in low what every acting unit has seen.
func (c *Canon) common(m *Memory) {
	w := m.L.width
	c.low = resize(c.low, w)
	first := true
	for u := range m.L.Units {
		if !m.acting(u) {
			continue
		}
		if first {
			copy(c.low, m.view(u))
			first = false
			continue
		}
		for i, v := range m.view(u) {
			c.low[i] = min(c.low[i], v)
		}
	}
}

// contracts reports whether events of the seq_cst graph can be replaced by
// their open predecessors: not where each edge depends on the scopes of its
// two ends, nor where the end of the execution still asks for them.
func (m *Memory) contracts() bool {
	return m.L.Spec.SC != SCScoped && !(m.L.Traits.Gaps && m.L.Spec.SC == SCText)
}

// dropMessages drops the messages of x that no acting unit can read and that
// no release sequence still needs.
func (c *Canon) dropMessages(m *Memory, a, x int) {
	list := m.list(x)
	lo := int(c.low[m.L.slot[a]]) - 1
	if lo <= 0 {
		return
	}
	first := lo
	m.segments(x, lo, func(i, _ int) {
		if list[i].src != none {
			first = i
		}
	})
	for _, g := range m.guards {
		if int(g.loc) == x {
			first = min(first, int(g.head))
		}
	}
	if m.L.Spec.SC == SCPartial {
		for i := range list[:first] {
			if list[i].beforeKnown != 0 {
				first = i
				break
			}
		}
	}
	if first == 0 {
		return
	}
	if m.L.Traits.SeqCst {
		m.inherit(a, list[:first])
	}
	m.forget(a, x, uint32(first))
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

// forget removes the n oldest messages of x.
func (m *Memory) forget(a, x int, n uint32) {
	at := m.start[a]
	m.msgs = slices.Delete(m.msgs, int(at), int(at+n))
	for i := a + 1; i < len(m.start); i++ {
		m.start[i] -= n
	}
	slot, w := int(m.L.slot[a]), m.L.width
	for _, vectors := range [...][]uint32{m.vec, m.snaps} {
		for i := slot; i < len(vectors); i += w {
			vectors[i] -= min(vectors[i], n)
		}
	}
	for i := range m.guards {
		if g := &m.guards[i]; int(g.loc) == x {
			g.head -= int32(n)
			g.last -= int32(n)
		}
	}
}

// dropGuards drops the assumptions that have come true for good.
func (c *Canon) dropGuards(m *Memory) {
	m.guards = slices.DeleteFunc(m.guards, func(g guard) bool {
		if g.broken {
			return !m.unmet(&g)
		}
		seen := c.low[m.L.slot[m.L.atom[g.loc]]]
		return seen > uint32(g.last) || !m.mayBreak(int(g.loc), g.owner)
	})
	slices.SortFunc(m.guards, func(a, b guard) int {
		return cmp.Or(cmp.Compare(a.loc, b.loc), cmp.Compare(a.head, b.head), cmp.Compare(a.last, b.last),
			cmp.Compare(a.owner, b.owner), boolCompare(a.broken, b.broken))
	})
}

// dropRecords drops the accesses that happen before whatever another unit
// will do, and puts the others in order.
func (c *Canon) dropRecords(m *Memory) {
	c.recs = c.recs[:0]
	for x := range m.L.Locs {
		from := len(c.recs)
		k := m.L.clock[m.L.comp[x]]
		for i := m.recHead[x]; i != none; i = m.recs[i].next {
			if r := m.recs[i]; c.matters(m, &r, k) {
				c.recs = append(c.recs, r)
			}
		}
		m.recHead[x] = none
		kept := c.recs[from:]
		if len(kept) == 0 {
			continue
		}
		slices.SortFunc(kept, func(a, b record) int {
			return cmp.Or(cmp.Compare(a.unit, b.unit), boolCompare(a.write, b.write), boolCompare(a.na, b.na), cmp.Compare(a.scope, b.scope))
		})
		for i := range kept {
			kept[i].next = int32(from + i + 1)
		}
		kept[len(kept)-1].next = none
		m.recHead[x] = int32(from)
	}
	m.recs, c.recs = c.recs, m.recs
}

// matters reports whether an acting unit has not yet seen the access.
func (c *Canon) matters(m *Memory, r *record, k int32) bool {
	if c.low[k+int32(r.unit)] >= r.event {
		return false
	}
	for u := range m.L.Units {
		if u != int(r.unit) && m.acting(u) && m.view(u)[int(k)+int(r.unit)] < r.event {
			return true
		}
	}
	return false
}

// contract removes the events of the seq_cst graph that can get no edge from
// a later event any more. Whatever they precede, their open predecessors
// precede too.
func (c *Canon) contract(m *Memory) {
	g := &m.sc
	var open scSet
	for a, x := range m.L.atomics {
		list := m.list(int(x))
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
	closed := all &^ open
	if closed == 0 {
		return
	}
	n := len(m.L.Units) * m.L.ncomps
	var before [scLimit]scSet // of a closed event: its open predecessors
	for o := range g.events {
		if !open.has(o) {
			continue
		}
		for rest := g.events[o].after & closed; rest != 0; rest &= rest - 1 {
			e := bits.TrailingZeros64(uint64(rest))
			before[e] |= scBit(o)
			joinMin(g.reach[o*n:(o+1)*n], g.reach[e*n:(e+1)*n])
		}
	}
	m.eachSCSet(func(s *scSet) {
		gone := *s & closed
		*s &^= closed
		for ; gone != 0; gone &= gone - 1 {
			*s |= before[bits.TrailingZeros64(uint64(gone))]
		}
	})
	for i := range g.events {
		g.events[i].after &^= closed
	}
	c.order = c.order[:0]
	for e := range g.events {
		if open.has(e) {
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
	for i := range m.msgs {
		q := &m.msgs[i]
		f(&q.beforeWrites)
		f(&q.beforeFences)
		f(&q.beforeKnown)
	}
	for _, sets := range [...][]scSet{m.sc.baseWrites, m.sc.baseFences, m.sc.beforeNext, m.sc.fences} {
		for i := range sets {
			f(&sets[i])
		}
	}
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
	old := scGraph{events: slices.Clone(g.events), reach: slices.Clone(g.reach), clocks: slices.Clone(g.clocks)}
	g.events, g.reach, g.clocks = g.events[:0], g.reach[:0], g.clocks[:0]
	for _, e := range c.order {
		g.events = append(g.events, old.events[e])
		g.reach = append(g.reach, old.reach[e*n*m.L.ncomps:(e+1)*n*m.L.ncomps]...)
		g.clocks = append(g.clocks, old.clocks[e*n:(e+1)*n]...)
	}
	for i := range g.events {
		rename(&g.events[i].after)
	}
	m.eachSCSet(rename)
}

// rank replaces each unit's event numbers by their rank among those that
// something still refers to. A clock keeps what it can be compared with.
func (c *Canon) rank(m *Memory) {
	n := len(m.L.Units)
	for len(c.refs) < n {
		c.refs = append(c.refs, nil)
	}
	for u := range n {
		c.refs[u] = c.refs[u][:0]
	}
	m.eachEvent(func(u int32, e *uint32) {
		if *e != never {
			c.refs[u] = append(c.refs[u], *e)
		}
	})
	for u := range n {
		slices.Sort(c.refs[u])
		c.refs[u] = slices.Compact(c.refs[u])
		m.count[u] = uint32(len(c.refs[u]))
	}
	m.eachEvent(func(u int32, e *uint32) {
		if *e != never {
			*e = rankOf(c.refs[u], *e)
		}
	})
	for _, vectors := range [...][]uint32{m.vec, m.snaps} {
		for at := 0; at < len(vectors); at += m.L.width {
			for k := 0; k < m.L.ncomps; k++ {
				clock := vectors[at+int(m.L.clock[k]):][:n]
				for u, v := range clock {
					if v != 0 {
						clock[u] = rankOf(c.refs[u], v)
					}
				}
			}
		}
	}
	for at := 0; at < len(m.sc.clocks); at += n {
		for u, v := range m.sc.clocks[at : at+n] {
			m.sc.clocks[at+u] = rankOf(c.refs[u], v)
		}
	}
}

// rankOf returns how many of the sorted references are not above v.
func rankOf(refs []uint32, v uint32) uint32 {
	if len(refs) > 16 {
		i, found := slices.BinarySearch(refs, v)
		if found {
			i++
		}
		return uint32(i)
	}
	i := 0
	for i < len(refs) && refs[i] <= v {
		i++
	}
	return uint32(i)
}

// eachEvent calls f with every event number that something compares clocks
// with, and its unit.
func (m *Memory) eachEvent(f func(u int32, e *uint32)) {
	for i := range m.recs {
		f(int32(m.recs[i].unit), &m.recs[i].event)
	}
	if !m.L.Traits.SeqCst {
		return
	}
	for i := range m.msgs {
		if q := &m.msgs[i]; q.writer != initial {
			f(q.writer, &q.event)
		}
	}
	for i := range m.sc.events {
		f(m.sc.events[i].unit, &m.sc.events[i].event)
	}
	n := len(m.L.Units)
	for i := range m.sc.reach {
		f(int32(i%n), &m.sc.reach[i])
	}
}

// compact rewrites the pools so that they hold what is reachable, in
// canonical order, and published vectors only what some reader can lack.
func (c *Canon) compact(m *Memory) {
	c.snaps, c.srcs = c.snaps[:0], c.srcs[:0]
	for i := range m.msgs {
		q := &m.msgs[i]
		if !m.L.Traits.SeqCst {
			q.event = 0
		}
		q.src = c.keep(m, m.srcs, q.src, c.low)
	}
	m.srcs, c.srcs = c.srcs, m.srcs[:0]
	for u := range m.L.Units {
		if m.Live(u) {
			m.relfHead[u] = c.keep(m, m.relf, m.relfHead[u], c.low)
		}
	}
	m.relf, c.srcs = c.srcs, m.relf[:0]
	for u := range m.L.Units {
		if m.Live(u) {
			m.pendHead[u] = c.keep(m, m.pend, m.pendHead[u], m.view(u))
		} else {
			clear(m.view(u))
		}
	}
	m.pend, c.srcs = c.srcs, m.pend[:0]
	m.snaps, c.snaps = c.snaps, m.snaps
}

// keep copies a list of sources into c.srcs, sorted, without those that tell
// nothing beyond `known`, and returns the copy's head.
func (c *Canon) keep(m *Memory, pool []source, head int32, known []uint32) int32 {
	c.list = c.list[:0]
	for i := head; i != none; i = pool[i].next {
		s := pool[i]
		if s.snap = c.reduce(m, s.snap, known); s.snap == none {
			continue
		}
		s.event = 0
		c.list = append(c.list, s)
	}
	if len(c.list) == 0 {
		return none
	}
	slices.SortFunc(c.list, compareSources)
	from := int32(len(c.srcs))
	for i := range c.list {
		c.list[i].next = from + int32(i) + 1
	}
	c.list[len(c.list)-1].next = none
	c.srcs = append(c.srcs, c.list...)
	return from
}

func compareSources(a, b source) int {
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
	for i, v := range m.snap(snap) {
		if v <= known[i] {
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

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
