package memmodel

import "slices"

// This file keeps what units have seen: one view vector a unit, which those who have seen the same share. Of a thousand
// work-items that have met at a barrier there is one vector, not a thousand of two thousand entries each.
//
// A vector says nothing of what its unit has done itself: the unit knows that by its count (of images, by the last of its
// accesses that a fence has come after), so that its entry there is what those know who share the vector. Only where there is the
// order S, which compares all entries of a vector, each unit has one of its own that says all.

// begin has all units share one view of nothing or, where each is to have its own, have that.
func (m *Memory) begin() {
	n := 1
	if m.L.Traits.SeqCst {
		n = len(m.L.Units)
	}
	m.rows, m.users = resize(m.rows, n*m.L.width), resize(m.users, n)
	for u := range m.row {
		m.row[u] = int32(u % n)
		m.users[u%n]++
	}
}

// setAll sets the entry for an atomic location, by its number, in all views.
func (m *Memory) setAll(a int32, n uint32) {
	for at := int(m.L.slot[a]); at < len(m.rows); at += m.L.width {
		m.rows[at] = n
	}
}

// vector returns row number r.
func (m *Memory) vector(r int32) []uint32 {
	w := m.L.width
	return m.rows[int(r)*w : (int(r)+1)*w]
}

// view returns unit u's view vector, to be read only. Of u's own clocks see above.
func (m *Memory) view(u Unit) []uint32 {
	if r := m.row[u]; r != none {
		return m.vector(r)
	}
	return m.L.nothing
}

// change returns unit u's view vector, to be changed: it shares it with nobody from now on.
func (m *Memory) change(u Unit) []uint32 {
	if !m.shares(u) {
		return m.vector(m.row[u])
	}
	return m.vector(m.fork(u, m.view(u)))
}

// shares reports whether unit u's view vector is not its alone.
func (m *Memory) shares(u Unit) bool { return m.row[u] == none || m.users[m.row[u]] > 1 }

// fork gives unit u a view vector of its own, equal to v, and returns its row.
func (m *Memory) fork(u Unit, v []uint32) int32 {
	r := int32(slices.Index(m.users, 0))
	if r < 0 {
		r = int32(len(m.users))
		m.users = append(m.users, 0)
		m.rows = append(m.rows, v...)
	} else {
		copy(m.vector(r), v)
	}
	m.adopt(u, r)
	return r
}

// adopt lets unit u share row r, or have seen nothing if that is none.
func (m *Memory) adopt(u Unit, r int32) {
	if r != none {
		m.users[r]++
	}
	if old := m.row[u]; old != none {
		m.users[old]--
	}
	m.row[u] = r
	for n := len(m.users); n > 0 && m.users[n-1] == 0; n-- {
		m.users = m.users[:n-1]
		m.rows = m.rows[:(n-1)*m.L.width]
	}
}

// amend changes the views of units in one way, which depends on their view alone: those who share one still do.
func (m *Memory) amend(units []Unit, change func(v []uint32)) {
	m.became = resize(m.became, len(m.users)+1)
	for _, u := range units {
		switch to := &m.became[m.row[u]+1]; {
		case *to > 0:
			m.adopt(u, *to-1)
		case m.shares(u):
			r := m.fork(u, m.view(u))
			*to = r + 1
			change(m.vector(r))
		default:
			change(m.vector(m.row[u]))
		}
	}
}

// sameView reports whether two units have seen the same, but for what they have done themselves.
func (m *Memory) sameView(t, u Unit) bool {
	if m.row[t] == m.row[u] {
		return true
	}
	v, w := m.view(t), m.view(u)
	for c := m.L.first; c < m.L.ncomps; c++ {
		for at := m.L.bound[c]; at < m.L.bound[c+1]; at++ {
			if v[at] != w[at] && !m.L.own(t, c, at) && !m.L.own(u, c, at) {
				return false
			}
		}
	}
	return true
}

// merge has unit u share the view of unit t, if they have seen the same.
func (m *Memory) merge(u, t Unit) {
	r := m.row[t]
	if m.L.Traits.SeqCst || m.row[u] == r || r == none || m.row[u] == none || !m.sameView(t, u) {
		return
	}
	v, w := m.view(u), m.vector(r)
	for c := m.L.first; c < m.L.ncomps; c++ {
		at := m.L.clock[c] + int32(t)
		switch {
		case !m.L.timed(c) || v[at] == w[at]:
		case m.users[r] > 1:
			return
		default:
			w[at] = v[at] // it counts from now on
		}
	}
	m.adopt(u, r)
}

// Reshare has units whose view vectors are equal share one. What they have seen stays as it is. Without it, thousands of
// units that have each seen something of their own, of which nothing is left, take a vector each.
func (m *Memory) Reshare() {
	if m.L.Traits.SeqCst {
		return
	}
	first := map[uint64]int32{}
	to := make([]int32, len(m.users))
	for r := range int32(len(to)) {
		to[r] = r
		if m.users[r] == 0 {
			continue
		}
		h := hashOf(m.vector(r))
		switch q, ok := first[h]; {
		case !ok:
			first[h] = r
		case slices.Equal(m.vector(q), m.vector(r)):
			to[r] = q
		}
	}
	for u, r := range m.row {
		if r != none && to[r] != r {
			m.adopt(Unit(u), to[r])
		}
	}
}

// hashOf is a hash of a vector (FNV-1a, by words).
func hashOf(v []uint32) uint64 {
	h := uint64(14695981039346656037)
	for _, x := range v {
		h = (h ^ uint64(x)) * 1099511628211
	}
	return h
}

// addOwnEvents writes into a vector, in the given components, what unit u has done: all
// that it does next comes after that (rule 5.1).
func (m *Memory) addOwnEvents(v []uint32, u Unit, comps compSet) {
	if m.row[u] == none {
		return
	}
	for c := m.L.first; c < m.L.ncomps; c++ {
		if comps&(1<<c) != 0 {
			m.L.know(v, c, u, m.done(u, c))
		}
	}
}

// done returns how many events of its own unit u knows in a component.
func (m *Memory) done(u Unit, c int) uint32 {
	if c == compImage {
		return m.committed[u]
	}
	return m.count[u]
}

// whole makes a copy of unit u's view say what u has done.
func (m *Memory) whole(v []uint32, u Unit) { m.addOwnEvents(v, u, allComps|imageComps) }

// own reports whether an entry of a vector, of component c, is the clock of unit u's own events that the unit's view
// says nothing of.
func (l *Layout) own(u Unit, c int, at int32) bool { return at == l.clock[c]+int32(u) }

// seen returns the entry of unit u's view for atomic location x.
func (m *Memory) seen(u Unit, x Loc) uint32 { return m.view(u)[m.L.slot[m.L.atom[x]]] }

// see sets the entry of unit u's view for atomic location x.
func (m *Memory) see(u Unit, x Loc, n uint32) {
	if m.seen(u, x) != n {
		m.change(u)[m.L.slot[m.L.atom[x]]] = n
	}
}

// publish stores a copy of unit u's view and returns its index.
func (m *Memory) publish(u Unit) int32 {
	i := int32(len(m.snaps) / m.L.width)
	m.snaps = append(m.snaps, m.view(u)...)
	m.whole(m.snap(i), u)
	return i
}

// absorb joins the given components of a vector into unit u's view.
func (m *Memory) absorb(u Unit, from []uint32, comps compSet) {
	if m.shares(u) && !m.L.lacks(m.view(u), from, comps) {
		return
	}
	m.joinComps(m.change(u), from, comps)
}

// lacks reports whether a view says less than a vector in the given components.
func (l *Layout) lacks(v, from []uint32, comps compSet) bool {
	for c := l.first; c < l.ncomps; c++ {
		if comps&(1<<c) == 0 {
			continue
		}
		for at := l.bound[c]; at < l.bound[c+1]; at++ {
			if from[at] > v[at] {
				return true
			}
		}
	}
	return false
}

// joinComps joins the given components of a vector into another one.
func (m *Memory) joinComps(to, from []uint32, comps compSet) {
	for c := m.L.first; c < m.L.ncomps; c++ {
		if comps&(1<<c) == 0 {
			continue
		}
		lo, hi := m.L.bound[c], m.L.bound[c+1]
		joinMax(to[lo:hi], from[lo:hi])
	}
}

// joinView joins the given components of unit t's view into a vector.
func (m *Memory) joinView(to []uint32, t Unit, comps compSet) {
	m.joinComps(to, m.view(t), comps)
	m.addOwnEvents(to, t, comps)
}

func joinMax(dst, src []uint32) {
	src = src[:len(dst)]
	for i, s := range src {
		if s > dst[i] {
			dst[i] = s
		}
	}
}
