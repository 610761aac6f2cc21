package memmodel

import "slices"

// dropRepeats unites messages of x that repeat the one before. It reports whether there were any.
func (c *Canon) dropRepeats(m *Memory, a int, x Loc) (dropped bool) {
	c.abstinence = c.abstinence[:0]
	for i := len(m.list(x)) - 2; i >= 0; i-- {
		if c.repeats(m, x, i) {
			c.unite(m, a, x, i)
			c.abstinence, dropped = c.abstinence[:0], true
		}
	}
	return dropped
}

// repeats reports whether some unit stores to x again and again, and messages i and i+1 of x, neither of which is a read-modify-write of the other, are one to all that may still come: they have the
// same value, nothing can come between them any more, and whoever may read either learns the same.
// docs/exploration/canonical-form.md, "What is said twice".
func (c *Canon) repeats(m *Memory, x Loc, i int) bool {
	list := m.list(x)
	q, r := &list[i], &list[i+1]
	if r.rmw || q.val != r.val || c.Units == nil || m.L.Traits.SeqCst || m.L.Traits.Promises || c.Keep&KeepOrders != 0 || !hasBit(c.again, x) || m.Guarded(x) || !c.calm(m, x) {
		return false
	}
	silent := c.silently(m, x, i)
	if !silent && (q.rmw || q.writer != r.writer) {
		return false
	}
	for u, f := range c.Units {
		if f == nil || !c.acts(m, Unit(u)) || !hasBit(f.Access, x) || m.seen(Unit(u), x) > uint32(i+1) {
			continue
		}
		if !silent && hasBit(f.Peek, x) && (hasBit(f.Look, x) || !f.Overlooks(x, q.val, q.val, true, true, false)) || !c.abstains(m, Unit(u), x, i) {
			return false
		}
	}
	return true
}

// silently reports whether neither message i of x nor the next one publishes anything.
func (c *Canon) silently(m *Memory, x Loc, i int) bool {
	return !m.publishes(x, i) && !m.publishes(x, i+1)
}

// abstains reports whether unit u writes nothing to x, but what is there, before it has read a message behind number i. Messages that a read-modify-write has taken
// cannot be taken again (rule 7.7).
func (c *Canon) abstains(m *Memory, u Unit, x Loc, i int) bool {
	f, list := c.Units[u], m.list(x)
	if !hasBit(f.Store, x) && !hasBit(f.Modify, x) {
		return true
	}
	if f.Abstains == nil || m.relfHead[u] != none {
		return false
	}
	if len(c.abstinence) == 0 {
		c.abstinence = slices.Grow(c.abstinence, len(c.Units))[:len(c.Units)]
		for k := range c.abstinence {
			c.abstinence[k].known = false
		}
	}
	b := &c.abstinence[u]
	if !b.known {
		b.gather(list, max(int(m.seen(u, x)), 1)-1, i)
	}
	if n, _ := slices.BinarySearch(b.first, i+1); n != b.asked {
		b.asked = n
		b.sorted = append(b.sorted[:0], b.values[:n]...)
		slices.Sort(b.sorted)
		b.abstains = f.Abstains(x, b.sorted)
	}
	return b.abstains
}

// abstinence is what a unit may read of a location up to some message, and whether it writes nothing then. It holds for what is asked from newer messages
// to older ones, until there are other messages.
type abstinence struct {
	known    bool    // it has been gathered
	values   []int64 // each once
	first    []int   // the number of the message that has it first
	asked    int     // of how many of them abstains tells, -1 for none
	sorted   []int64 // these
	abstains bool    // whether it writes nothing
}

// gather notes what may be read of messages number from to i of a list.
func (b *abstinence) gather(list []message, from, i int) {
	b.known, b.values, b.first, b.asked = true, b.values[:0], b.first[:0], -1
	for k := from; k <= i; k++ {
		if !list[k+1].rmw && !slices.Contains(b.values, list[k].val) {
			b.values, b.first = append(b.values, list[k].val), append(b.first, k)
		}
	}
}

// unite makes messages i and i+1 of x, the second of which repeats the first, one.
func (c *Canon) unite(m *Memory, a int, x Loc, i int) {
	at, silent := int(m.start[a])+i, c.silently(m, x, i)
	q, r := &m.msgs[at], &m.msgs[at+1]
	if !c.First && !(c.Oldest && hasBit(c.peeked, x)) {
		q.label = r.label
	}
	if silent { // who has written them makes no difference
		q.writer, q.na = initial, true
	}
	for s := r.src; s != none; s = m.srcs[s].next {
		q.src = m.publishToo(q.src, m.srcs[s])
	}
	m.cut(c, a, i+1, i+1) // who has seen the second has seen the first
}
