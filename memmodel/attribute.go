package memmodel

// This file forgets which unit has released something, where nobody can tell it from one
// that has ended.

// attribute gives releases to units that have ended, one for all that nobody can tell apart,
// which then publishes what all of them do: whoever takes one of them takes the others, or
// has made it. It reports whether that changed anything. It must be asked after anonymise, lest a
// store that continues nothing continue what its unit is given.
// docs/exploration/canonical-form.md, "Who has released something".
func (c *Canon) attribute(m *Memory) (changed bool) {
	if c.Keep&KeepReleases != 0 {
		return false
	}
	for a, x := range m.L.atomics {
		free := !m.Guarded(x) && !m.promised(x)
		list := m.msgs[m.start[a]:m.start[a+1]]
		for i := range list {
			for s := list[i].src; s != none; s = m.srcs[s].next {
				q := &m.srcs[s]
				was := q.key.unit
				q.given = free && !c.continued(m, x, list[i+1:], q.key.unit) && m.give(q, x, -1, func(v Unit) bool {
					return !m.Live(v) && !c.continued(m, x, list[i+1:], int32(v))
				})
				changed = changed || q.key.unit != was
			}
			changed = m.unite(m.srcs, list[i].src) || changed
		}
	}
	for u := range m.L.units() {
		if !m.Live(u) || m.pendHead[u] == none {
			continue
		}
		for s := m.pendHead[u]; s != none; s = m.pend[s].next {
			q := &m.pend[s]
			was := q.key.unit
			q.given = m.give(q, q.loc, u, func(v Unit) bool { return v != u })
			changed = changed || q.key.unit != was
		}
		changed = m.unite(m.pend, m.pendHead[u]) || changed
	}
	return changed
}

// promised reports whether some unit owes a write of x.
func (m *Memory) promised(x Loc) bool {
	for i := range m.promises {
		if m.promises[i].loc == x {
			return true
		}
	}
	return false
}

// continued reports whether a release sequence of unit u may go on in, or behind, newer messages
// of x by stores of its own.
func (c *Canon) continued(m *Memory, x Loc, newer []message, u int32) bool {
	for i := range newer {
		if q := &newer[i]; !q.rmw && q.writer == u {
			return true
		}
	}
	switch {
	case !m.Live(Unit(u)):
		return false
	case c.Units == nil:
		return hasBit(m.L.Locs[x].Storers, int(u))
	}
	return c.Units[u] != nil && hasBit(c.Units[u].Store, x)
}

// give gives a release to the first unit, of those that may have it and are of one kernel-instance
// with its own, that is in nothing different to unit u, or to anybody who may still act if
// negative, when they meet it through location x. It reports whether there is one.
func (m *Memory) give(q *messageView, x Loc, u Unit, may func(v Unit) bool) bool {
	a := &m.L.Units[q.key.unit]
	if a.Host {
		return false
	}
	for v := range m.L.units() {
		if b := &m.L.Units[v]; !b.Host && b.Device == a.Device && b.Kernel == a.Kernel && may(v) && (v == Unit(q.key.unit) || m.indistinguishable(x, &q.key, v, u)) {
			q.key.unit = int32(v)
			return true
		}
	}
	return false
}

// indistinguishable reports whether a release of key k, if it were unit v's, would be no different to unit u, or to
// anybody who may still act if negative.
func (m *Memory) indistinguishable(x Loc, k *key, v, u Unit) bool {
	last := Unit(-1)
	for w := range m.L.units() {
		switch {
		case !m.Live(w) || u >= 0 && w != u:
			continue
		case w == v || w == Unit(k.unit):
		case last >= 0 && m.L.Units[w] == m.L.Units[last]: // those of one place meet others with the same scopes
			continue
		default:
			last = w
		}
		if m.L.meets(Unit(k.unit), k.scope, w, x) != m.L.meets(v, k.scope, w, x) {
			return false
		}
	}
	return true
}

// meets returns the scopes with which unit u meets a release of unit t with scope s through
// location x.
func (l *Layout) meets(t Unit, s Scope, u Unit, x Loc) (scopes uint64) {
	for r := ScopeSubGroup; r <= ScopeAllSVMDevices; r++ {
		if l.inclusive(t, s, u, r, x) {
			scopes |= 1 << r
		}
	}
	return scopes
}

// unite joins the sources of a list that have the same key. It reports whether there were any.
func (m *Memory) unite(pool []messageView, head int32) (changed bool) {
	for i := head; i != none; i = pool[i].next {
		for last := i; pool[last].next != none; {
			s, t := &pool[i], &pool[pool[last].next]
			if t.key != s.key || t.loc != s.loc {
				last = pool[last].next
				continue
			}
			if s.snap != t.snap {
				s.snap = m.joined(s.snap, t.snap)
			}
			pool[last].next, changed = t.next, true
		}
	}
	return changed
}
