package memmodel

import (
	"slices"
	"sync"
)

// retired holds memories whose space can be used again.
var retired = sync.Pool{New: func() any { return &Memory{} }}

// Relayout moves m to layout l, in which unit u of the old layout is unit
// units[u], or does not exist (-1), and location x of l was location locs[x],
// or did not exist (-1). New units have seen of each location what all have seen
// who act. Units that vanish must have ended, and all that they did must happen before whatever the others
// will do.
func (m *Memory) Relayout(l *Layout, units []Unit, locs []Loc) {
	m.Thin()
	old := retired.Get().(*Memory)
	*old, *m = *m, *old
	m.Observer = old.Observer
	defer func() {
		old.Observer = nil
		retired.Put(old)
	}()
	m.Reset(l)
	m.called = old.called
	if survivors(units) < len(l.Units) {
		m.level(old, locs)
	}
	for u := range old.L.units() {
		to := units[u]
		if to < 0 {
			continue
		}
		m.count[to] = old.count[u]
		if l.images && old.L.images {
			m.committed[to] = old.committed[u]
		}
		setBit(m.alive, to, old.Live(u))
		setBit(m.parked, to, old.parked[u>>6]&(1<<(u&63)) != 0)
	}
	m.moveViews(old, units, locs)
	snaps := len(old.snaps) / max(old.L.width, 1)
	m.snaps = resize(m.snaps, snaps*l.width)
	for i := range snaps {
		m.translate(m.snap(int32(i)), old, old.snap(int32(i)), units, locs)
	}
	m.moveMessages(old, units, locs)
	m.moveLocations(old, units, locs)
	for u, to := range units {
		if to >= 0 {
			m.relf, m.relfHead[to] = moveSources(m.relf, old.relf, old.relfHead[u], units, locs)
			m.pend, m.pendHead[to] = moveSources(m.pend, old.pend, old.pendHead[u], units, locs)
		}
	}
	m.moveGraph(old, units, locs)
}

// moveViews gives the old units their views. Those who shared one still do.
func (m *Memory) moveViews(old *Memory, units []Unit, locs []Loc) {
	moved := make([]int32, len(old.users))                      // by old row: 1 + the new one
	start := slices.Clone(m.rows[:min(len(m.rows), m.L.width)]) // what new units have seen
	for u, to := range units {
		if to < 0 {
			continue
		}
		r := old.row[u]
		switch {
		case r == none:
			m.adopt(to, none)
		case moved[r] > 0:
			m.adopt(to, moved[r]-1)
		default:
			if m.shares(to) {
				m.fork(to, start)
			}
			m.translate(m.vector(m.row[to]), old, old.vector(r), units, locs)
			moved[r] = m.row[to] + 1
		}
	}
}

// survivors returns how many old units there are in the new layout.
func survivors(units []Unit) (n int) {
	for _, to := range units {
		if to >= 0 {
			n++
		}
	}
	return n
}

// level lets new units, and for the time being all, have seen of each old
// location what all have seen who acted: its initial value, unless that has been
// dropped.
func (m *Memory) level(old *Memory, locs []Loc) {
	for a, x := range m.L.atomics {
		o := locs[x]
		if o < 0 {
			continue
		}
		from, seen := old.L.slot[old.L.atom[o]], uint32(everything)
		for u := range old.L.units() {
			if old.Acting(u) {
				seen = min(seen, old.view(u)[from])
			}
		}
		if seen == everything {
			continue
		}
		m.setAll(int32(a), seen)
	}
}

func setBit[I ~int | ~int32](set []uint64, i I, v bool) {
	set[i>>6] &^= 1 << (i & 63)
	if v {
		set[i>>6] |= 1 << (i & 63)
	}
}

// translate writes an old vector in terms of the new layout.
func (m *Memory) translate(to []uint32, old *Memory, from []uint32, units []Unit, locs []Loc) {
	for a, x := range m.L.atomics {
		if o := locs[x]; o >= 0 {
			to[m.L.slot[a]] = from[old.L.slot[old.L.atom[o]]]
		}
	}
	for c := m.L.first; c < m.L.ncomps; c++ {
		clocks := old.L.clocks(from, c)
		if len(clocks) == 0 { // nothing that was done could race, so nothing need be remembered
			continue
		}
		for u, t := range units {
			if t >= 0 {
				m.L.know(to, c, t, clocks[u])
			}
		}
	}
}

func (m *Memory) moveMessages(old *Memory, units []Unit, locs []Loc) {
	m.msgs = m.msgs[:0]
	for a, x := range m.L.atomics {
		o := locs[x]
		if o < 0 {
			if loc := &m.L.Locs[x]; loc.Initialised {
				m.msgs = append(m.msgs, message{val: loc.Init, writer: initial, na: true, src: none})
			}
		} else {
			for _, q := range old.list(o) {
				head := q.src
				q.src = none
				if q.writer >= 0 {
					if q.writer = int32(units[q.writer]); q.writer < 0 {
						q.writer, q.event = initial, 0 // all that is left of the units that vanish
						if q.rmw && !m.L.Traits.SeqCst {
							q.writer = nobody // as in canonical form
						}
					}
				}
				m.srcs, q.src = moveSources(m.srcs, old.srcs, head, units, locs)
				m.msgs = append(m.msgs, q)
			}
		}
		m.start[a+1] = uint32(len(m.msgs))
	}
}

// moveSources copies a list of sources, in its order.
func moveSources(pool, from []messageView, head int32, units []Unit, locs []Loc) ([]messageView, int32) {
	first := int32(none)
	for i := head; i != none; i = from[i].next {
		s := from[i]
		if units[s.key.unit] < 0 {
			continue
		}
		s.key.unit, s.next = int32(units[s.key.unit]), none
		s.loc = newLoc(locs, s.loc)
		if s.loc < 0 {
			continue
		}
		if first == none {
			first = int32(len(pool))
		} else {
			pool[len(pool)-1].next = int32(len(pool))
		}
		pool = append(pool, s)
	}
	return pool, first
}

func newLoc(locs []Loc, x Loc) Loc {
	return Loc(slices.Index(locs, x))
}

func (m *Memory) moveLocations(old *Memory, units []Unit, locs []Loc) {
	for x, o := range locs {
		if o < 0 {
			continue
		}
		if m.L.atom[x] < 0 {
			m.values[x] = old.values[o]
			setBit(m.written, x, old.written[o>>6]&(1<<(o&63)) != 0)
		}
		if m.L.calm[x] {
			continue // whoever acts from here on does not race with what was done
		}
		for i := old.recHead[o]; i != none; i = old.recs[i].next {
			r := old.recs[i]
			if units[r.unit] < 0 {
				continue
			}
			r.unit, r.loc, r.next = uint32(units[r.unit]), Loc(x), m.recHead[x]
			m.recs = append(m.recs, r)
			m.recHead[x] = int32(len(m.recs) - 1)
		}
	}
	for _, g := range old.guards {
		x := newLoc(locs, g.loc)
		if x < 0 || units[g.owner] < 0 {
			continue
		}
		g.loc, g.owner = x, int32(units[g.owner])
		m.guards = append(m.guards, g)
	}
	for _, p := range old.promises {
		p.unit, p.loc = int32(units[p.unit]), newLoc(locs, p.loc)
		m.promises = append(m.promises, p)
	}
}

// moveGraph moves the seq_cst graph. Events of units that vanish must have been
// contracted.
func (m *Memory) moveGraph(old *Memory, units []Unit, locs []Loc) {
	if !m.L.Traits.SeqCst {
		return
	}
	g, h := &m.sc, &old.sc
	n, on := len(m.L.Units), len(old.L.Units)
	for e, ev := range h.events {
		ev.unit = int32(units[ev.unit])
		g.events = append(g.events, ev)
		for c := range m.L.ncomps {
			row := len(g.thresholds)
			for range n {
				g.thresholds = append(g.thresholds, never)
			}
			for u, to := range units {
				if to >= 0 {
					g.thresholds[row+int(to)] = h.thresholds[(e*old.L.ncomps+c)*on+u]
				}
			}
		}
		row := len(g.clocks)
		g.clocks = append(g.clocks, make([]uint32, n)...)
		for u, to := range units {
			if to >= 0 {
				g.clocks[row+int(to)] = h.clocks[e*on+u]
			}
		}
	}
	for u, to := range units {
		if to >= 0 {
			g.beforeNext[to], g.fences[to] = h.beforeNext[u], h.fences[u]
		}
	}
	for a, x := range m.L.atomics {
		if o := locs[x]; o >= 0 {
			oa := old.L.atom[o]
			g.baseWrites[a], g.baseFences[a] = h.baseWrites[oa], h.baseFences[oa]
		}
	}
	g.fine, g.device, g.other, g.cyclic, g.Full = h.fine, h.device, h.other, h.cyclic, h.Full
}

// Quiet reports whether units can vanish: whether no seq_cst event is kept
// that one of them may have performed.
func (m *Memory) Quiet() bool {
	m.decide()
	return len(m.sc.events) == 0 || m.contracts() && !m.undecided()
}
