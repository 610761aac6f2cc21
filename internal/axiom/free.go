package axiom

import "github.com/clmc/clmc/state/ir"

// What the host frees (API 5.6.1). The text has no rule for it but that using the memory
// afterwards is undefined, and that the free waits for nobody: so all uses happen before the free.

// object returns the region of the object that a pointer is to.
func (e *enumerator) object(pointer int64) region {
	o := e.prog.ObjectAt(-1, int32(pointer&^ir.SegMask))
	return region{from: pointer, cells: int64(o.Layout.Cells())}
}

// frees lists the events that free memory.
func (c *candidate) frees() (list []int) {
	for i := range c.events {
		if v := &c.events[i]; v.kind == command && v.cmd.op == ir.OpFree {
			list = append(list, i)
		}
	}
	return list
}

// uses reports whether event i, which is not the free f itself, uses what f frees, with the
// happens-before relation that is to order the two: it accesses the memory, unmaps or frees it.
func (c *candidate) uses(i, f int) (h relation, used bool) {
	v, q := &c.events[i], mapped{region: c.events[f].cmd.region, at: f}
	switch {
	case i == f || v.initial():
		return nil, false
	case v.kind == command:
		return c.hb[global], (v.cmd.op == ir.OpUnmap || v.cmd.op == ir.OpFree) && q.overlaps(v.cmd.region)
	}
	return c.ordering(i), v.access() && v.kind != restore && c.e.locs[v.loc].owner == nil && q.covers(c.e.locs[v.loc].addr)
}

// freeRaces lists uses, and frees of what they use, that are not ordered.
func (c *candidate) freeRaces(yield func(a, b int) bool) {
	for _, f := range c.frees() {
		for i := range c.events {
			if h, used := c.uses(i, f); used && !h.has(i, f) && !h.has(f, i) && !yield(i, f) {
				return
			}
		}
	}
}

// regionRaces lists pairs of events that form data races, of which the second works on a region.
func (c *candidate) regionRaces(yield func(a, b int) bool) {
	more := true
	pass := func(a, b int) bool { more = yield(a, b); return more }
	if c.unmapRaces(pass); more {
		c.freeRaces(pass)
	}
}

// markRegion adds to a set the clashes of two events that form a race, of which the second works on
// a region: one for each cell.
func (c *candidate) markRegion(set *map[Clash]bool, a, b int) {
	q := mapped{region: c.events[b].cmd.region, at: b}
	for x := range c.e.locs {
		if l := &c.e.locs[x]; l.owner == nil && q.covers(l.addr) && (!c.events[a].access() || c.events[a].loc == x) {
			mark(set, c.clashAt(x, a, b))
		}
	}
}

// misfreed reports whether memory is used after it has been freed, or mapped when it may be gone.
func (c *candidate) misfreed() bool {
	for _, f := range c.frees() {
		for i := range c.events {
			if h, used := c.uses(i, f); used && h.has(f, i) {
				return true
			}
			v := &c.events[i]
			if v.kind == command && v.cmd.op == ir.OpMap && v.cmd.region.overlaps(c.events[f].cmd.region) && !c.causes.has(i, f) {
				return true
			}
		}
	}
	return false
}
