package memmodel

import (
	"cmp"
	"slices"
)

// dropRecords drops the accesses that happen before whatever another unit
// will do, and puts the others in order.
func (c *Canon) dropRecords(m *Memory) {
	if len(m.recs) == 0 {
		return
	}
	c.recs = c.recs[:0]
	for i := range m.recs { // some of which are on no list any more
		x := m.recs[i].loc
		if m.L.calm[x] { // so that its component may have no clocks to compare with
			panic("memmodel: an access is on record that cannot race")
		}
		k := m.L.clock[m.L.comp[x]]
		for i := m.recHead[x]; i != none; i = m.recs[i].next {
			if r := m.recs[i]; c.matters(m, &r, x, k) {
				c.recs = append(c.recs, r)
			}
		}
		m.recHead[x] = none
	}
	m.recs, c.recs = c.recs, m.recs
	m.link()
}

// matters reports whether an acting unit has not yet seen the access, to
// location x, and may conflict with it; its own, of an image, a unit sees by a
// fence only.
func (c *Canon) matters(m *Memory, r *record, x Loc, k int32) bool {
	if c.low[k+int32(r.unit)] >= r.event {
		return false
	}
	for u := range m.L.units() {
		if u != Unit(r.unit) && c.acts(m, u) && m.view(u)[int(k)+int(r.unit)] < r.event && c.conflicts(m, u, r, x) {
			return true
		}
	}
	u := Unit(r.unit)
	return m.L.comp[x] == compImage && c.acts(m, u) && m.committed[u] < r.event && c.conflicts(m, u, r, x)
}

// conflicts reports whether unit u may still conflict with an access to x.
func (c *Canon) conflicts(m *Memory, u Unit, r *record, x Loc) bool {
	switch {
	case c.Units == nil || c.Keep&KeepRecords != 0:
		return true
	case c.Units[u] == nil:
		return false
	case !hasBit(c.Units[u].Odd, x) && !m.odd(r):
		return false
	case r.write:
		return hasBit(c.Units[u].Access, x)
	}
	return hasBit(c.Units[u].Store, x) || hasBit(c.Units[u].Modify, x)
}

// odd reports whether an access on record may race with one that is as usual.
func (m *Memory) odd(r *record) bool { return m.L.Odd(Unit(r.unit), r.loc, r.na, r.scope) }

// Undisputed reports whether no access of location x is on record that an access of unit u's, as usual, may race with.
func (m *Memory) Undisputed(u Unit, x Loc) bool {
	for i := m.recHead[x]; i != none; i = m.recs[i].next {
		if r := &m.recs[i]; Unit(r.unit) != u && m.odd(r) && r.event > m.view(u)[m.L.clock[m.L.comp[x]]+int32(r.unit)] {
			return false
		}
	}
	return true
}

// calm reports whether from here on no two accesses of x can race: whatever is to come is as usual, and so is what is on record, which
// must be what matters.
func (c *Canon) calm(m *Memory, x Loc) bool {
	if m.L.calm[x] || c.Units == nil {
		return m.L.calm[x]
	}
	for u, f := range c.Units {
		if f != nil && c.acts(m, Unit(u)) && hasBit(f.Odd, x) {
			return false
		}
	}
	for i := m.recHead[x]; i != none; i = m.recs[i].next {
		if m.odd(&m.recs[i]) {
			return false
		}
	}
	return true
}

// link puts the records in order, which are on no list, drops those that are there twice, and makes lists of them.
func (m *Memory) link() {
	slices.SortFunc(m.recs, compareRecords)
	m.recs = slices.CompactFunc(m.recs, func(a, b record) bool { return compareRecords(a, b) == 0 })
	for i := range m.recs {
		r := &m.recs[i]
		if r.next = none; i > 0 && m.recs[i-1].loc == r.loc {
			m.recs[i-1].next = int32(i)
		} else {
			m.recHead[r.loc] = int32(i)
		}
	}
}

// compareRecords orders records.
func compareRecords(a, b record) int {
	if a.loc != b.loc {
		return cmp.Compare(a.loc, b.loc)
	}
	return cmp.Or(cmp.Compare(a.unit, b.unit), boolCompare(a.write, b.write), boolCompare(a.na, b.na),
		cmp.Compare(a.scope, b.scope), boolCompare(a.known, b.known), cmp.Compare(a.event, b.event))
}
