package memmodel

import (
	"cmp"
	"math/bits"
	"slices"
)

// This file forgets which unit has made an access, where it can make no difference any more.

// gather gives the accesses on record of units that have ended to the first such units of the
// kernel-instance: all that the same units and the same releases know of to one of them. Of such an access
// nothing is asked but who knows of it and, if it is atomic, how the unit that made it meets others. It
// must be asked when published vectors are in order.
// docs/exploration/canonical-form.md, "Who has made an access".
func (c *Canon) gather(m *Memory) {
	g := &c.dead
	if len(m.recs) == 0 || m.L.Traits.SeqCst || c.Keep&KeepOwners != 0 || !g.begin(m) {
		return
	}
	for k := m.L.first; k < m.L.ncomps; k++ {
		for _, p := range g.heads {
			g.classify(m, p, k)
		}
	}
	moved := false
	for _, p := range g.heads {
		moved = g.bury(m, p) || moved
	}
	if moved {
		m.link()
	}
}

// gathering is what gather works with.
type gathering struct {
	near    []near     // by ended unit, where places matter: who is near to it
	pool    []int32    // by unit: the first of the ended units with which it shares accesses, or -1
	heads   []int32    // those first ones
	vectors [][]uint32 // who may know of an access: the views of those who act, and what is published
	class   []int32    // by record: its class, an index into classes, or -1
	classes []class    // all classes, those of a pool and a component next to each other
	order   []int32    // the classes of a pool, in order
	slots   []int32    // the units of a pool
	last    []int32    // by slot: the class of its last event, or -1
	known   []uint64   // sets of vectors, one after the other
}

// class is a class of accesses of a pool's units that the same vectors know of.
type class struct {
	pool  int32  // the first unit of its pool, see gathering.pool
	comp  int    // the component in whose clocks the accesses are known
	known int    // its vectors: where the set begins
	size  int    // how many they are
	unit  int32  // which unit it becomes an event of, or -1
	event uint32 // and which
}

// begin finds the pools. It reports whether there are accesses to gather.
func (g *gathering) begin(m *Memory) bool {
	apart, any := false, false
	for i := range m.recs {
		r := &m.recs[i]
		r.gathered = false
		if m.over(Unit(r.unit)) {
			any = true
			apart = apart || !r.na
		}
	}
	if !any {
		return false
	}
	n := len(m.L.Units)
	g.near, g.pool, g.class = resize(g.near, n), resize(g.pool, n), resize(g.class, len(m.recs))
	g.heads, g.vectors, g.classes, g.known = g.heads[:0], g.vectors[:0], g.classes[:0], g.known[:0]
	for u := range m.L.units() {
		g.pool[u] = -1
		switch {
		case m.Live(u):
			g.vectors = append(g.vectors, m.view(u))
		case m.over(u):
			if g.near[u] = (near{-1, -1}); apart {
				g.near[u] = m.nearest(u)
			}
			g.join(m, u)
		}
	}
	for at := 0; at < len(m.snaps); at += m.L.width {
		g.vectors = append(g.vectors, m.snaps[at:at+m.L.width])
	}
	return true
}

// over reports whether unit u has ended and is not heard of any more. A host thread counts as none that is near to anybody; of a
// copy those hear who wait for it, though it has ended.
func (m *Memory) over(u Unit) bool {
	p := &m.L.Units[u]
	return !m.Live(u) && !p.Host && !p.Copies()
}

// near is what an ended unit shares with somebody who acts: its work-group and sub-group, that group
// alone, or neither (-1).
type near struct{ group, sub int32 }

// join puts an ended unit into the pool of those of its kernel-instance; where places matter, of those
// whom nobody who acts can tell from it by its place.
func (g *gathering) join(m *Memory, u Unit) {
	for _, h := range g.heads {
		a, b := &m.L.Units[u], &m.L.Units[h]
		if a.Kernel == b.Kernel && a.Device == b.Device && g.near[u] == g.near[h] {
			g.pool[u] = h
			return
		}
	}
	g.pool[u] = int32(u)
	g.heads = append(g.heads, int32(u))
}

// nearest returns who is near to an ended unit.
func (m *Memory) nearest(u Unit) near {
	at, p := near{-1, -1}, m.L.Units[u]
	for w := range m.L.units() {
		if q := m.L.Units[w]; m.Live(w) && p.SameGroup(q) {
			if at.group = int32(p.Group); p.Sub == q.Sub {
				at.sub = int32(p.Sub)
			}
		}
	}
	return at
}

// classify finds the classes of the accesses of a pool to locations of component k.
func (g *gathering) classify(m *Memory, pool int32, k int) {
	first, last := len(g.classes), -1
	for i := range m.recs {
		r := &m.recs[i]
		if g.pool[r.unit] != pool || int(m.L.comp[r.loc]) != k {
			continue
		}
		if last >= 0 && m.recs[last].unit == r.unit && m.recs[last].event == r.event { // of one event, as when it was gathered before
			g.class[i] = g.class[last]
		} else {
			g.class[i] = g.classOf(m, first, pool, r)
		}
		last = i
	}
	g.place(pool, first)
}

// classOf returns the class of an access: one from `first` on, or a new one.
func (g *gathering) classOf(m *Memory, first int, pool int32, r *record) int32 {
	from, size, k := len(g.known), 0, int(m.L.comp[r.loc])
	for range (len(g.vectors) + 63) / 64 {
		g.known = append(g.known, 0)
	}
	at := int(m.L.clock[k]) + int(r.unit)
	for i, v := range g.vectors {
		if v[at] >= r.event {
			g.known[from+i>>6] |= 1 << (i & 63)
			size++
		}
	}
	known := g.known[from:]
	for i := first; i < len(g.classes); i++ {
		if slices.Equal(g.set(int32(i)), known) {
			g.known = g.known[:from]
			return int32(i)
		}
	}
	g.classes = append(g.classes, class{pool: pool, comp: k, known: from, size: size, unit: -1})
	return int32(len(g.classes) - 1)
}

// set returns the vectors that know of the events of a class.
func (g *gathering) set(class int32) []uint64 {
	from := g.classes[class].known
	return g.known[from : from+(len(g.vectors)+63)/64]
}

// place makes each class of a pool, from `first` on, the first event of a unit. If there are more
// classes than units, events of one unit are known to fewer and fewer.
func (g *gathering) place(pool int32, first int) {
	g.order, g.slots, g.last = g.order[:0], g.slots[:0], g.last[:0]
	for i := first; i < len(g.classes); i++ {
		g.order = append(g.order, int32(i))
	}
	slices.SortFunc(g.order, func(a, b int32) int {
		p, q := &g.classes[a], &g.classes[b]
		return cmp.Or(cmp.Compare(q.size, p.size), slices.Compare(g.set(a), g.set(b)))
	})
	for u, p := range g.pool {
		if p == pool {
			g.slots, g.last = append(g.slots, int32(u)), append(g.last, -1)
		}
	}
	enough := len(g.order) <= len(g.slots)
	for _, i := range g.order {
		for s, u := range g.slots {
			if last := g.last[s]; last < 0 || !enough && g.within(i, last) {
				q := &g.classes[i]
				if q.unit, q.event = u, 1; last >= 0 {
					q.event = g.classes[last].event + 1
				}
				g.last[s] = i
				break
			}
		}
	}
}

// within reports whether all who know of class a know of class b.
func (g *gathering) within(a, b int32) bool {
	p, q := g.set(a), g.set(b)
	for i := range p {
		if p[i]&^q[i] != 0 {
			return false
		}
	}
	return true
}

// bury gives the accesses of a pool to the units that are to have them, unless there is not one for each
// class. It reports whether that changed anything.
func (g *gathering) bury(m *Memory, pool int32) (moved bool) {
	for i := range g.classes {
		if q := &g.classes[i]; q.pool == pool && q.unit < 0 {
			return false
		}
	}
	for i := range m.recs {
		if r := &m.recs[i]; g.pool[r.unit] == pool && !r.gathered {
			q := &g.classes[g.class[i]]
			moved = moved || r.unit != uint32(q.unit) || r.event != q.event
			r.unit, r.event, r.gathered = uint32(q.unit), q.event, true
		}
	}
	if moved {
		g.retell(m, pool)
	}
	return moved
}

// retell has all who know of the events of a pool know of them as they are called now.
func (g *gathering) retell(m *Memory, pool int32) {
	for u, p := range g.pool {
		if p != pool || m.count[u] == 0 { // nobody knows anything of it
			continue
		}
		m.count[u] = 0
		for k := m.L.first; k < m.L.ncomps; k++ {
			for _, v := range g.vectors {
				m.L.know(v, k, Unit(u), 0)
			}
		}
	}
	for i := range g.classes {
		q := &g.classes[i]
		if q.pool != pool {
			continue
		}
		m.count[q.unit] = max(m.count[q.unit], q.event)
		at := int(m.L.clock[q.comp]) + int(q.unit)
		for w, word := range g.set(int32(i)) {
			for ; word != 0; word &= word - 1 {
				v := g.vectors[w<<6+bits.TrailingZeros64(word)]
				v[at] = max(v[at], q.event)
			}
		}
	}
}
