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
	for x := range m.L.locs() {
		if m.recHead[x] == none {
			continue
		}
		if m.L.calm[x] { // so that its component may have no clocks to compare with
			panic("memmodel: an access is on record that cannot race")
		}
		from := len(c.recs)
		k := m.L.clock[m.L.comp[x]]
		for i := m.recHead[x]; i != none; i = m.recs[i].next {
			if r := m.recs[i]; c.matters(m, &r, x, k) {
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

// matters reports whether an acting unit has not yet seen the access, to
// location x, and may conflict with it; its own, of an image, a unit sees by a
// fence only.
func (c *Canon) matters(m *Memory, r *record, x Loc, k int32) bool {
	if c.low[k+int32(r.unit)] >= r.event {
		return false
	}
	for u := range m.L.units() {
		if (u != Unit(r.unit) || m.L.images && k == m.L.clock[compImage]) && c.acts(m, u) && m.view(u)[int(k)+int(r.unit)] < r.event && c.conflicts(u, r, x) {
			return true
		}
	}
	return false
}

// conflicts reports whether unit u may still conflict with an access to x.
func (c *Canon) conflicts(u Unit, r *record, x Loc) bool {
	switch {
	case c.Units == nil || c.Keep&KeepRecords != 0:
		return true
	case c.Units[u] == nil:
		return false
	case r.write:
		return hasBit(c.Units[u].Access, x)
	}
	return hasBit(c.Units[u].Store, x) || hasBit(c.Units[u].Modify, x)
}
