package axiom

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// region is what a command maps or unmaps.
type region struct {
	from, cells int64
	writes      bool
}

func (r region) overlaps(s region) bool { return r.from < s.from+s.cells && s.from < r.from+r.cells }

// mapped is a region that is mapped by one event and, if unmap is not -1, unmapped
// by another.
type mapped struct {
	region
	at, unmap int
}

// mapCell continues with what a map command may do to a cell: nothing, or write
// there what it has seen (rule 2.7).
func (u *unfolder) mapCell(w *walk, in *ir.Instr) (more bool, err error) {
	loc := u.e.locate(u.t, u.value(w, in.A))
	if loc < 0 {
		return false, u.emit(*w, true)
	}
	w.pc++
	if !u.e.locs[loc].mapped {
		return true, nil
	}
	for _, v := range u.e.domains[loc] {
		f := w.fork()
		f.actions = append(f.actions, action{kind: restore, loc: loc, order: memmodel.NonAtomic, reads: v, writes: v})
		if err := u.run(f); err != nil {
			return false, err
		}
	}
	return true, nil
}

// restoresHold checks rule 2.7: what a map command writes is the last value of what
// it has seen, by what happens before it; it overwrites something that it has not
// seen, and what is performed later it does not overwrite.
func (c *candidate) restoresHold() bool {
	g := newRelation(len(c.events))
	g.include(c.causes)
	any := false
	for r := range c.events {
		if c.events[r].kind != restore {
			continue
		}
		any = true
		if !c.hasSeen(r, c.source[r]) || !c.undoes(r) {
			return false
		}
		for _, w := range c.writesTo[c.events[r].loc] {
			if c.mo.has(r, w) {
				g.add(r, w)
			} else if w != r && !c.events[w].atomic() {
				g.add(w, r)
			}
		}
	}
	return !any || g.acyclic()
}

// hasSeen reports whether event r knows of the write w: it happens before r, or
// a read of it does.
func (c *candidate) hasSeen(r, w int) bool {
	h := c.ordering(r)
	if h.has(w, r) {
		return true
	}
	return slices.ContainsFunc(c.readers, func(q int) bool { return c.source[q] == w && h.has(q, r) })
}

// undoes reports whether restore r has something to undo.
func (c *candidate) undoes(r int) bool {
	for _, w := range c.writesTo[c.events[r].loc] {
		if c.mo.has(c.source[r], w) && c.mo.has(w, r) && !c.causes.has(r, w) {
			return true
		}
	}
	return false
}

// matchMaps finds which unmap command ends which mapping.
func (c *candidate) matchMaps() error {
	c.maps = nil
	var ends []int
	for i := range c.events {
		switch v := &c.events[i]; {
		case v.kind != command:
		case v.cmd.op == ir.OpMap:
			c.maps = append(c.maps, mapped{v.cmd.region, i, -1})
		case v.cmd.op == ir.OpUnmap:
			ends = append(ends, i)
		}
	}
	slices.SortFunc(ends, func(a, b int) int { return cmp.Compare(c.caused(b), c.caused(a)) })
	for _, u := range ends {
		at := -1
		for i := range c.maps {
			q := &c.maps[i]
			r := c.events[u].cmd.region
			if q.unmap >= 0 || q.from != r.from || q.cells != r.cells || !c.causes.has(q.at, u) {
				continue
			}
			if at >= 0 {
				return errAmbiguous
			}
			at = i
		}
		if at < 0 {
			c.maps = append(c.maps, mapped{at: -1, unmap: u})
			continue
		}
		c.maps[at].unmap = u
	}
	return nil
}

// caused counts the events that come after an event.
func (c *candidate) caused(i int) int { return bits.OnesCount64(uint64(c.causes[i])) }

// mismapped reports whether memory that the host must map is touched by the host
// where that has not mapped it, or by others where it has (rules 2.1, 2.2), mapped
// twice, or unmapped without having been mapped.
func (c *candidate) mismapped() bool {
	for i, q := range c.maps {
		if q.at < 0 {
			return true
		}
		for _, o := range c.maps[:i] {
			if o.at >= 0 && q.overlaps(o.region) && (q.writes || o.writes) && !c.gone(o, q.at) && !c.gone(q, o.at) {
				return true
			}
		}
	}
	for i := range c.events {
		v := &c.events[i]
		if v.access() && v.kind != restore && !v.initial() && c.e.locs[v.loc].mapped && !c.mayTouch(i) {
			return true
		}
	}
	return false
}

// gone reports whether a mapping has ended before an event is performed.
func (c *candidate) gone(q mapped, event int) bool {
	return q.unmap >= 0 && c.causes.has(q.unmap, event)
}

// mayTouch reports whether the access i of memory that must be mapped is allowed.
func (c *candidate) mayTouch(i int) bool {
	v := &c.events[i]
	host := c.e.onHost(v.thread)
	allowed := !host
	for _, q := range c.maps {
		if !q.covers(c.e.locs[v.loc].addr) || !c.hb[global].has(q.at, i) {
			continue
		}
		if host {
			held := q.unmap < 0 || c.causes.has(i, q.unmap)
			allowed = allowed || held && (q.writes || !v.isWrite())
		} else if !c.gone(q, i) && (q.writes || v.isWrite()) {
			return false
		}
	}
	return allowed
}

// covers reports whether a cell of the shared segment is mapped.
func (q *mapped) covers(addr int64) bool {
	from := q.from &^ ir.SegMask
	return q.at >= 0 && from <= addr && addr < from+q.cells
}

// unmapRaces lists unmap commands and other such, or accesses of what they
// unmap, that form data races: the command counts as an access of the kind that
// the mapping was for.
func (c *candidate) unmapRaces(yield func(a, b int) bool) {
	for k, q := range c.maps {
		if q.at < 0 || q.unmap < 0 {
			continue
		}
		for i := range c.events {
			v := &c.events[i]
			if v.access() && v.kind != restore && !v.initial() && q.covers(c.e.locs[v.loc].addr) && (q.writes || v.isWrite()) &&
				!c.ordering(i).has(i, q.unmap) && !c.ordering(i).has(q.unmap, i) {
				if !yield(i, q.unmap) {
					return
				}
			}
		}
		for _, o := range c.maps[:k] {
			if o.at >= 0 && o.unmap >= 0 && o.overlaps(q.region) && (o.writes || q.writes) &&
				!c.hb[global].has(o.unmap, q.unmap) && !c.hb[global].has(q.unmap, o.unmap) {
				if !yield(o.unmap, q.unmap) {
					return
				}
			}
		}
	}
}
