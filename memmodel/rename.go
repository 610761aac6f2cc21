package memmodel

import (
	"cmp"
	"slices"
)

// Renaming gives units and locations other names: Units[u] is what unit u is to
// be called, Locs[x] what location x is. It must be an automorphism of the
// layout: what it exchanges must have the same place, use and kind.
type Renaming struct {
	Units []int32 // by unit: its new number
	Locs  []Loc   // by location: its new number; nil if each keeps its own
}

// Loc returns what location x is to be called.
func (r *Renaming) Loc(x Loc) Loc {
	if r.Locs == nil {
		return x
	}
	return r.Locs[x]
}

// Rename renames the units and locations of m, which must be canonical, and
// brings it into canonical form again. Nothing but names changes: the futures
// of m are those it had before, renamed.
func (c *Canon) Rename(m *Memory, r *Renaming) {
	c.noted = m.noted(c.noted)
	c.renameVectors(m, r)
	c.renameUnits(m, r)
	c.noted = m.noted(c.noted)
	c.renameLocations(m, r)
	renameSources(m.srcs, r, false)
	renameSources(m.relf, r, false)
	renameSources(m.pend, r, true)
	for i := range m.recs {
		q := &m.recs[i]
		q.unit, q.loc = uint32(r.Units[q.unit]), r.Loc(q.loc)
	}
	for i := range m.guards {
		g := &m.guards[i]
		g.loc, g.owner = r.Loc(g.loc), r.Units[g.owner]
	}
	for i := range m.promises {
		p := &m.promises[i]
		p.unit, p.loc = r.Units[p.unit], r.Loc(p.loc)
	}
	if m.L.Traits.SeqCst {
		c.renameGraph(m, r)
	}
	c.reorder(m)
}

// reorder puts what is renamed into canonical order.
func (c *Canon) reorder(m *Memory) {
	c.common(m)
	c.sortGuards(m)
	m.sortPromises()
	c.dropRecords(m)
	c.sortEvents(m)
	if !m.L.Traits.SeqCst {
		c.attribute(m)
	}
	c.compact(m)
	c.gather(m)
}

// move is what becomes of an entry of each vector.
type move struct{ from, to int32 }

// renameVectors moves the entries of every vector, and says whose view each is.
func (c *Canon) renameVectors(m *Memory, r *Renaming) {
	w := m.L.width
	c.listMoves(m.L, r)
	for _, vectors := range [...][]uint32{m.rows, m.snaps} {
		c.words = append(c.words[:0], vectors...)
		for at := 0; at < len(vectors); at += w {
			c.rename(vectors[at:at+w], c.words[at:at+w])
		}
	}
	permute(m.row, r.Units, &c.heads)
}

// listMoves finds the entries of vectors that have another place under other names. Those of units of which nobody
// knows anything are zero, there as here.
func (c *Canon) listMoves(l *Layout, r *Renaming) {
	c.moves = c.moves[:0]
	if r.Locs != nil {
		for a, x := range l.atomics {
			c.moves = append(c.moves, move{l.slot[a], l.slot[l.atom[r.Locs[x]]]})
		}
	}
	for k := l.first; k < l.ncomps; k++ {
		lo, hi := l.clock[k], l.bound[k+1]
		for _, at := range c.noted {
			if lo <= at && at < hi && r.Units[at-lo] != at-lo {
				c.moves = append(c.moves, move{at, lo + r.Units[at-lo]})
			}
		}
	}
}

// rename makes a vector what another one is when its entries have moved.
func (c *Canon) rename(to, from []uint32) {
	copy(to, from)
	for _, v := range c.moves {
		to[v.from] = 0
	}
	for _, v := range c.moves {
		to[v.to] = from[v.from]
	}
}

func (c *Canon) renameUnits(m *Memory, r *Renaming) {
	permute(m.count, r.Units, &c.words)
	if m.L.images {
		permute(m.committed, r.Units, &c.words)
	}
	permute(m.relfHead, r.Units, &c.heads)
	permute(m.pendHead, r.Units, &c.heads)
	c.renameSet(m.alive, r)
	c.renameSet(m.parked, r)
	for i := range m.msgs {
		if q := &m.msgs[i]; q.writer >= 0 {
			q.writer = r.Units[q.writer]
		}
	}
}

func (c *Canon) renameSet(set []uint64, r *Renaming) {
	c.sets = append(c.sets[:0], set...)
	for u, to := range r.Units {
		setBit(set, int(to), c.sets[u>>6]&(1<<(u&63)) != 0)
	}
}

// permute moves element i of list to to[i].
func permute[T any, I ~int32](list []T, to []I, scratch *[]T) {
	*scratch = append((*scratch)[:0], list...)
	for i, v := range *scratch {
		list[to[i]] = v
	}
}

// renameLocations moves what is kept by location.
func (c *Canon) renameLocations(m *Memory, r *Renaming) {
	l := m.L
	if r.Locs == nil {
		return
	}
	permute(m.recHead, r.Locs, &c.heads)
	permute(m.values, r.Locs, &c.values)
	c.sets = append(c.sets[:0], m.written...)
	for x, to := range r.Locs {
		setBit(m.written, to, c.sets[x>>6]&(1<<(x&63)) != 0)
	}
	c.msgs = append(c.msgs[:0], m.msgs...)
	c.words = append(c.words[:0], m.start...)
	c.heads = resize(c.heads, len(l.atomics)) // by atomic location: what it was
	for a, x := range l.atomics {
		c.heads[l.atom[r.Locs[x]]] = int32(a)
	}
	m.msgs = m.msgs[:0]
	for a, old := range c.heads {
		m.msgs = append(m.msgs, c.msgs[c.words[old]:c.words[old+1]]...)
		m.start[a+1] = uint32(len(m.msgs))
	}
}

// renameSources renames the releasers in a pool and, in that of what acquire
// fences may take, the locations.
func renameSources(pool []messageView, r *Renaming, located bool) {
	for i := range pool {
		s := &pool[i]
		s.key.unit = r.Units[s.key.unit]
		if located {
			s.loc = r.Loc(s.loc)
		}
	}
}

func (c *Canon) renameGraph(m *Memory, r *Renaming) {
	g, n := &m.sc, len(m.L.Units)
	for i := range g.events {
		g.events[i].unit = r.Units[g.events[i].unit]
	}
	for _, rows := range [...][]uint32{g.thresholds, g.clocks} {
		for at := 0; at < len(rows); at += n {
			permute(rows[at:at+n], r.Units, &c.words)
		}
	}
	permute(g.beforeNext, r.Units, &c.events)
	permute(g.fences, r.Units, &c.events)
	c.heads = resize(c.heads, len(m.L.atomics))
	for a, x := range m.L.atomics {
		c.heads[a] = m.L.atom[r.Loc(x)]
	}
	permute(g.baseWrites, c.heads, &c.events)
	permute(g.baseFences, c.heads, &c.events)
}

// sortGuards puts the guards in order.
func (c *Canon) sortGuards(m *Memory) {
	slices.SortFunc(m.guards, func(a, b guard) int {
		return cmp.Or(cmp.Compare(a.loc, b.loc), cmp.Compare(a.head, b.head), cmp.Compare(a.last, b.last),
			cmp.Compare(a.owner, b.owner), boolCompare(a.broken, b.broken))
	})
}
