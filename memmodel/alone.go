package memmodel

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// AppendAlone appends bytes that determine what unit u can do if no other unit
// does anything, and if no other locations matter to it than those: the messages that it may
// still read, what they tell it, and its promises, all by their distance from what it has seen.
// docs/exploration/certifying.md, "Certifying".
func (m *Memory) AppendAlone(b []byte, u Unit, matter []uint64) []byte {
	if m.L.Traits.SeqCst {
		return m.appendAlone(b, u)
	}
	for i, set := range matter {
		for ; set != 0; set &= set - 1 {
			if x := Loc(i<<6 + bits.TrailingZeros64(set)); !m.untouched(u, x) {
				b = appendWord(b, uint32(x)+1)
				b = m.appendThere(b, u, x, matter)
			}
		}
	}
	b = m.appendTold(append(b, 0), u, m.pend, m.pendHead[u], matter)
	for i := range m.guards {
		if g := &m.guards[i]; hasBit(matter, g.loc) {
			b = m.appendGuard(b, u, g)
		}
	}
	for i := range m.promises {
		if p := &m.promises[i]; Unit(p.unit) == u {
			b = m.appendOwed(b, u, p)
		}
	}
	return b
}

// untouched reports whether location x is as it was in the beginning, for unit u.
func (m *Memory) untouched(u Unit, x Loc) bool {
	loc, a := &m.L.Locs[x], m.L.atom[x]
	if a < 0 {
		return hasBit(m.written, x) == loc.Initialised && m.values[x] == loc.Init
	}
	first := m.start[a]
	if m.start[a+1] != first+1 || m.seen(u, x) != 1 {
		return false
	}
	q := &m.msgs[first]
	return q.writer == initial && q.val == loc.Init && q.na && !q.rmw && q.src == none
}

// appendThere appends what unit u may find at location x.
func (m *Memory) appendThere(b []byte, u Unit, x Loc, matter []uint64) []byte {
	if m.L.atom[x] < 0 {
		return m.appendValue(b, x)
	}
	return m.appendAhead(b, u, x, matter)
}

// appendAhead appends what unit u may still read and build upon at atomic location x: what it has
// seen last, all that is newer, and of what is older the messages that a newer one may carry
// the releases of, as far as there are such.
func (m *Memory) appendAhead(b []byte, u Unit, x Loc, matter []uint64) []byte {
	list, seen := m.list(x), int(m.seen(u, x))
	first := max(seen-1, 0)
	for c := m.carried(min(first, len(list)-1)); c.at >= 0; c.next(list) {
		if m.tells(u, m.srcs, list[c.at].src, matter) {
			first = c.at
		}
	}
	b = appendWord(appendWord(b, uint32(len(list)-first)), uint32(seen-first))
	for i := first; i < len(list); i++ {
		q := &list[i]
		b = binary.AppendVarint(b, q.val)
		b = append(b, bit(q.rmw)|bit(q.na)<<1)
		b = appendWord(b, uint32(q.writer-nobody))
		b = m.appendTold(b, u, m.srcs, q.src, matter)
	}
	return b
}

// tells reports whether a list of sources tells unit u anything of these locations.
func (m *Memory) tells(u Unit, pool []messageView, head int32, matter []uint64) bool {
	for i := head; i != none; i = pool[i].next {
		if m.newTo(u, m.snap(pool[i].snap), matter) {
			return true
		}
	}
	return false
}

// newTo reports whether unit u has seen less than a vector says of one of these locations.
func (m *Memory) newTo(u Unit, snap []uint32, matter []uint64) bool {
	view := m.view(u)
	for a, x := range m.L.atomics {
		if at := m.L.slot[a]; snap[at] > view[at] && hasBit(matter, x) {
			return true
		}
	}
	return false
}

// appendTold appends the sources of a list that tell unit u anything, with what that is.
func (m *Memory) appendTold(b []byte, u Unit, pool []messageView, head int32, matter []uint64) []byte {
	view := m.view(u)
	for i := head; i != none; i = pool[i].next {
		s := &pool[i]
		snap := m.snap(s.snap)
		if !m.newTo(u, snap, matter) {
			continue
		}
		b = s.append(append(b, 1))
		for a, x := range m.L.atomics {
			if at := m.L.slot[a]; hasBit(matter, x) {
				b = appendWord(b, max(snap[at], view[at])-view[at])
			}
		}
	}
	return append(b, 0)
}

// append appends what a source is, but for what it publishes.
func (s *messageView) append(b []byte) []byte {
	b = appendWord(b, uint32(s.key.unit))
	b = append(b, byte(s.key.scope)|bit(s.key.fence)<<4|bit(s.key.sc)<<5, byte(s.key.flags))
	return appendWord(b, uint32(s.loc))
}

// appendGuard appends a guard, unless unit u can write behind what it is about only.
func (m *Memory) appendGuard(b []byte, u Unit, g *guard) []byte {
	seen := int32(m.seen(u, g.loc))
	if g.last < seen {
		return b
	}
	b = appendWord(appendWord(b, uint32(g.loc)), uint32(g.owner))
	return append(appendWord(appendWord(b, uint32(max(g.head+1-seen, 0))), uint32(g.last-seen)), bit(g.broken))
}

// appendOwed appends a promise of unit u. What it has passed by it cannot keep.
func (m *Memory) appendOwed(b []byte, u Unit, p *promise) []byte {
	at := int32(0)
	if !p.sealed() {
		at = max(p.at-int32(m.seen(u, p.loc))+2, 1)
	}
	q := *p
	q.at = at
	return q.append(b)
}

// appendAlone is AppendAlone where the order S depends on all that has happened before.
func (m *Memory) appendAlone(b []byte, u Unit) []byte {
	b = m.appendOwn(b, u)
	for a := range m.L.atomics {
		b = appendWord(b, m.start[a+1]-m.start[a])
	}
	for i := range m.msgs {
		q := &m.msgs[i]
		b = binary.AppendVarint(b, q.val)
		b = append(b, bit(q.rmw)|bit(q.na)<<1|bit(q.sc)<<2)
		b = appendWord(b, uint32(q.writer-nobody))
		b = m.appendPublished(b, m.srcs, q.src)
		b = appendWord(b, q.event)
		b = appendSets(b, q.beforeWrites, q.beforeFences, q.beforeKnown)
	}
	b = m.appendPublished(b, m.relf, m.relfHead[u])
	b = m.appendPublished(b, m.pend, m.pendHead[u])
	b = m.appendPlain(b)
	b = m.appendGuards(b)
	for i := range m.promises {
		if Unit(m.promises[i].unit) == u {
			b = m.promises[i].append(b)
		}
	}
	return m.sc.append(b)
}

// appendOwn appends unit u's view, without how many events it has performed itself: all of them
// come before what it does next, and nobody else does anything.
func (m *Memory) appendOwn(b []byte, u Unit) []byte {
	v := slices.Clone(m.view(u))
	for c := m.L.first; c < m.L.ncomps; c++ {
		m.L.know(v, c, u, 0)
	}
	return appendWords(b, v)
}

// appendPublished appends a list of sources with the views that they publish.
func (m *Memory) appendPublished(b []byte, pool []messageView, head int32) []byte {
	for i := head; i != none; i = pool[i].next {
		b = pool[i].append(append(b, 1))
		b = appendWords(b, m.snap(pool[i].snap))
	}
	return append(b, 0)
}
