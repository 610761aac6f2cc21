package memmodel

import "slices"

// dropMessages drops the messages that no acting unit can read and that no
// release sequence still needs. It reports whether there were any.
func (c *Canon) dropMessages(m *Memory) (dropped bool) {
	if c.Keep&KeepMessages != 0 {
		return false
	}
	for _, a := range c.busy {
		a, x := int(a), m.L.atomics[a]
		dropped = c.dropRepeats(m, a, x) || dropped
		low, changed := c.awaited(m, x), false
		met := max(c.met(m, x), int(low)-1)
		for i := len(m.list(x)) - 2; i >= 0; i-- {
			if c.relays(m, x, i, i < met) {
				c.merge(m, a, x, i)
				changed = true
			}
		}
		if n := c.unreadable(m, x, c.low[m.L.slot[a]]); n > 0 {
			if m.L.Traits.SeqCst {
				m.inherit(a, m.list(x)[:n])
			}
			m.forget(a, x, uint32(n))
			changed = true
		}
		if changed {
			low = c.awaited(m, x)
		}
		dropped = c.dropAwaited(m, a, x, low) || changed || dropped
	}
	return dropped
}

// relays reports whether nobody can do anything with message number i of x but
// take, from the read-modify-write that follows it, what it publishes: nobody
// who has not seen all of x will load it any more, or who does might as well load
// the one that follows, or wait for it, or has met somebody by then who has seen that one.
func (c *Canon) relays(m *Memory, x Loc, i int, met bool) bool {
	list := m.list(x)
	q, r := &list[i], &list[i+1]
	if !r.rmw || !q.rmw && (m.L.Traits.SeqCst || m.L.Traits.Promises) || hasBit(c.peeked, x) && !met && !c.echoes(m, q, r) && !c.overlooked(m, x, i) {
		return false
	}
	for i := range m.promises {
		if m.promises[i].loc == x {
			return false
		}
	}
	return !m.L.Traits.SeqCst || m.covers(x, i)
}

// met returns how many of the oldest messages of x no unit can load any more. Each unit that may load x has seen a newer one, or loads x
// only behind a barrier, where it learns of a newer one from a work-item of its work-group.
// docs/exploration/canonical-form.md, "What all will have seen before they look".
func (c *Canon) met(m *Memory, x Loc) int {
	if c.Units == nil || m.L.Traits.SeqCst || c.Keep&KeepOrders != 0 || len(m.list(x)) < 2 || !hasBit(c.peeked, x) || m.Guarded(x) {
		return 0
	}
	n, known := uint32(len(m.list(x))), false
	for u, f := range c.Units {
		if f == nil || !c.acts(m, Unit(u)) || !hasBit(f.Peek, x) {
			continue
		}
		seen := m.seen(Unit(u), x)
		if hasBit(f.Late, x) {
			if !known {
				c.seenByGroups(m, x)
				known = true
			}
			seen = c.newest[m.L.group[u]]
		}
		if n = min(n, seen); n < 2 {
			return 0
		}
	}
	return int(n) - 1
}

// seenByGroups notes in newest, by work-group, how much of x one of its work-items has seen: all, where one has ended, since nobody gets
// past a barrier then (rule 11.1).
func (c *Canon) seenByGroups(m *Memory, x Loc) {
	c.newest = resize(c.newest, m.L.groups)
	for u, g := range m.L.group {
		switch {
		case g < 0:
		case m.Live(Unit(u)):
			c.newest[g] = max(c.newest[g], m.seen(Unit(u), x))
		default:
			c.newest[g] = everything
		}
	}
}

// echoes reports whether message r, a read-modify-write of q, says what q does and no more.
// docs/exploration/canonical-form.md, "What writes again what it has read".
func (c *Canon) echoes(m *Memory, q, r *message) bool {
	return r.val == q.val && r.src == none && !m.L.Traits.SeqCst && c.Keep&KeepOrders == 0
}

// overlooked reports whether each unit that may still load x, if it reads message i, only waits for another value,
// or does and learns the same as if it reads the next message, a read-modify-write of i; and no unit
// can race with such a load. A load that reads what is older learns less, and so races with more.
// docs/exploration/canonical-form.md, "What makes no difference to any reader".
func (c *Canon) overlooked(m *Memory, x Loc, i int) bool {
	if c.Units == nil || m.L.Traits.SeqCst || c.Keep&KeepOrders != 0 || !c.calm(m, x) || m.Guarded(x) {
		return false
	}
	q, r := &m.list(x)[i], &m.list(x)[i+1]
	tells := c.Keep&KeepSync != 0 && m.publishes(x, i)
	for u, f := range c.Units {
		if f == nil || !c.acts(m, Unit(u)) || !hasBit(f.Peek, x) {
			continue
		}
		if hasBit(f.Look, x) || !f.Overlooks(x, q.val, r.val, tells, r.src != none, c.Keep&KeepRounds == 0) {
			return false
		}
	}
	return true
}

// Releases reports whether the message of x `back` before the newest publishes anything by itself, and not only as others go on in it.
func (m *Memory) Releases(x Loc, back Msg) bool {
	list := m.list(x)
	return list[len(list)-1-int(back)].src != none
}

// publishes reports whether who acquires message number i of x takes some release.
func (m *Memory) publishes(x Loc, i int) bool {
	list := m.list(x)
	for c := m.carried(i); c.at >= 0; c.next(list) {
		if list[c.at].src != none {
			return true
		}
	}
	return false
}

// covers reports whether message number i of x constrains S in no other way
// than the read-modify-write behind it, which nothing can come between: whatever
// must precede the one in S must precede the other.
func (m *Memory) covers(x Loc, i int) bool {
	list := m.list(x)
	q, r := &list[i], &list[i+1]
	if m.L.Traits.SCFences {
		return !q.sc && q.beforeWrites|q.beforeFences|q.beforeKnown == 0 && m.fenced(list, i)
	}
	for k := range list {
		if list[k].beforeKnown != 0 {
			return false
		}
	}
	a, b := m.scWriteEvent(q), m.scWriteEvent(r)
	if a == scNone || b == scNone {
		return a == scNone
	}
	from := i
	for from > 0 && list[from].rmw {
		from--
	}
	at := int(m.start[m.L.atom[x]])
	return m.coveredBy(a, b, at+from, at+i+1)
}

// fenced reports whether seq_cst fences of its unit need not look for message number i of
// a list any more (rules 8.5 to 8.7): there are none, now or later, or they find another
// write of the unit among the read-modify-writes that follow one upon the other.
func (m *Memory) fenced(list []message, i int) bool {
	q := &list[i]
	after := m.fencesAfter(q)
	for k := i + 1; k < len(list) && list[k].rmw; k++ {
		if r := &list[k]; r.writer == q.writer {
			return m.fencesAfter(r) == after
		}
	}
	return after == 0 && (q.writer < 0 || !m.Live(Unit(q.writer)))
}

// peeked reports whether a unit that has not ended may load x.
func (m *Memory) peeked(x Loc) bool {
	for w, set := range m.L.Locs[x].Peekers {
		if set&m.alive[w] != 0 {
			return true
		}
	}
	return false
}

// merge removes message number i of x, which relays, and lets its successor
// publish what it published, and stand where it stood.
func (c *Canon) merge(m *Memory, a int, x Loc, i int) {
	at := int(m.start[a]) + i
	next := &m.msgs[at+1]
	q := &m.msgs[at]
	if !q.rmw {
		next.rmw, next.na, next.writer = false, q.na, q.writer
	}
	if c.Oldest && hasBit(c.peeked, x) {
		next.label = q.label
	}
	if c.First {
		next.label = q.label
	}
	next.beforeWrites |= q.beforeWrites
	next.beforeFences |= q.beforeFences
	if e := m.scWriteEvent(q); e != scNone {
		defer c.dissolve(m, scBit(e))
	}
	for s := m.msgs[at].src; s != none; s = m.srcs[s].next {
		next.src = m.publishToo(next.src, m.srcs[s])
	}
	m.cut(c, a, i, i+1)
	for k := range m.guards { // a read-modify-write is never what breaks a sequence
		if g := &m.guards[k]; g.loc == x {
			g.head -= int32(bit(int(g.head) > i))
			g.last -= int32(bit(int(g.last) > i))
		}
	}
}

// cut takes message number n of location index a away. Who has seen more than so many messages has seen one less then.
func (m *Memory) cut(c *Canon, a, n, seen int) {
	at := int(m.start[a]) + n
	m.msgs = slices.Delete(m.msgs, at, at+1)
	for k := a + 1; k < len(m.start); k++ {
		m.start[k]--
	}
	slot, w := int(m.L.slot[a]), m.L.width
	for _, vectors := range [...][]uint32{m.rows, m.snaps, c.low} {
		for k := slot; k < len(vectors); k += w {
			if vectors[k] > uint32(seen) && vectors[k] != everything {
				vectors[k]--
			}
		}
	}
}

// publishToo adds a source to a message's list, or joins it to one of the same
// key: whoever may take the one may take the other.
func (m *Memory) publishToo(head int32, s messageView) int32 {
	for i := head; i != none; i = m.srcs[i].next {
		if m.srcs[i].key == s.key {
			m.srcs[i].snap = m.joined(m.srcs[i].snap, s.snap)
			return head
		}
	}
	return m.attach(head, s)
}

// releases reports whether a list has sources of the owner.
func (m *Memory) releases(head, owner int32) bool {
	for i := head; i != none; i = m.srcs[i].next {
		if m.srcs[i].key.unit == owner {
			return true
		}
	}
	return false
}

// carries reports whether the message that a walk from message number at of x has come to has releases of the owner that no nearer one stands for.
func (m *Memory) carries(x Loc, at int, c carrier) bool {
	for i := m.list(x)[c.at].src; i != none; i = m.srcs[i].next {
		if m.srcs[i].key.unit == c.owner && !m.toldNearer(x, at, c.at, &m.srcs[i]) {
			return true
		}
	}
	return false
}

// dropAwaited drops the messages at which whoever may still read them only waits, before he does anything else to x, if `awaited` has returned low. It reports whether there were any.
// docs/exploration/canonical-form.md, "What makes all wait who come to it".
func (c *Canon) dropAwaited(m *Memory, a int, x Loc, low uint32) bool {
	n := c.unreadable(m, x, low)
	if n <= 0 {
		return false
	}
	m.forget(a, x, uint32(n))
	for u := range m.L.units() {
		if c.acts(m, u) && c.uses(m, u, x) {
			m.see(u, x, max(m.seen(u, x), 1))
		}
	}
	return true
}

// awaited returns how much of x all who use it will have seen when they do anything to it but wait; 0 if that is not known.
func (c *Canon) awaited(m *Memory, x Loc) uint32 {
	if c.Units == nil || len(m.list(x)) < 2 || m.L.Traits.SeqCst || m.L.Traits.Promises || c.Keep&(KeepOrders|KeepRounds|KeepSync) != 0 || m.Guarded(x) || !c.calm(m, x) {
		return 0
	}
	low := uint32(everything)
	for u := range m.L.units() {
		if low > 1 && c.acts(m, u) && c.uses(m, u, x) {
			low = min(low, c.passes(m, u, x))
		}
	}
	return low
}

// passes returns how much of x unit u will have seen at least when it does anything to x but wait.
func (c *Canon) passes(m *Memory, u Unit, x Loc) uint32 {
	list, n := m.list(x), m.seen(u, x)
	for f := c.Units[u]; n > 0 && int(n) < len(list) && f.Waits != nil && f.Waits(x, list[n-1].val, list[n].rmw); n++ {
	}
	return n
}

// unreadable returns how many of the oldest messages of x can be dropped, if all have seen so much of it.
func (c *Canon) unreadable(m *Memory, x Loc, low uint32) int {
	list := m.list(x)
	lo := min(int(low), len(list)) - 1
	if lo <= 0 {
		return 0
	}
	first := lo
	for s := m.carried(lo); s.at >= 0; s.next(list) {
		if s.segment == 0 && list[s.at].src != none || s.segment > 0 && m.carries(x, lo, s) {
			first = s.at
		}
	}
	for _, g := range m.guards {
		if g.loc == x {
			first = min(first, int(g.head))
		}
	}
	if m.L.Spec.SC == SCPartial || m.gappy() {
		for i := range list[:first] {
			if list[i].beforeKnown != 0 {
				first = i
				break
			}
		}
	}
	if m.L.Traits.SeqCst && !m.contracts() {
		for i := range list[:first] {
			if q := &list[i]; q.sc || q.beforeWrites|q.beforeFences|q.beforeKnown != 0 {
				return i // the end of the execution asks for it
			}
		}
	}
	return first
}

// forget removes the n oldest messages of x.
func (m *Memory) forget(a int, x Loc, n uint32) {
	at := m.start[a]
	m.msgs = slices.Delete(m.msgs, int(at), int(at+n))
	for i := a + 1; i < len(m.start); i++ {
		m.start[i] -= n
	}
	slot, w := int(m.L.slot[a]), m.L.width
	for _, vectors := range [...][]uint32{m.rows, m.snaps} {
		for i := slot; i < len(vectors); i += w {
			vectors[i] -= min(vectors[i], n)
		}
	}
	for i := range m.guards {
		if g := &m.guards[i]; g.loc == x {
			g.head -= int32(n)
			g.last -= int32(n)
		}
	}
	m.forgetPromised(x, int(n))
}

// dropGuards drops the assumptions that have come true for good. It reports whether
// there were any.
func (c *Canon) dropGuards(m *Memory) bool {
	n := len(m.guards)
	if n == 0 {
		return false
	}
	m.trimGuards()
	m.guards = slices.DeleteFunc(m.guards, func(g guard) bool {
		if g.broken {
			return !m.unmet(&g)
		}
		seen := c.low[m.L.slot[m.L.atom[g.loc]]]
		return g.head == g.last || seen > uint32(g.last) || !m.mayBreak(g.loc, g.owner)
	})
	c.sortGuards(m)
	m.guards = slices.Compact(m.guards)
	return len(m.guards) < n
}

// trimGuards shortens what is assumed of release sequences by read-modify-writes at
// the end, which no store can separate from what they read.
func (m *Memory) trimGuards() {
	for i := range m.guards {
		g := &m.guards[i]
		for list := m.list(g.loc); g.last > g.head && list[g.last].rmw; {
			g.last--
		}
	}
}
