package memmodel

// anonymise forgets who wrote a message, where no release sequence depends on it (rule
// 5.4). A read-modify-write continues any, whoever heads it, and what it publishes itself
// says so. A plain store continues those of its own unit only, whose heads are older.
// docs/exploration/canonical-form.md, "Who wrote a plain store".
func (m *Memory) anonymise() {
	for _, x := range m.L.atomics {
		list := m.list(x)
		for i := range list {
			switch q := &list[i]; {
			case q.writer < 0:
			case q.rmw:
				q.writer = nobody
			case !m.continues(x, i):
				q.writer, q.na = initial, true
			}
		}
	}
}

// continues reports whether plain store number i of x may be in a release sequence of its
// unit that an older message heads, or in one that a guard speaks of.
func (m *Memory) continues(x Loc, i int) bool {
	list := m.list(x)
	owner := list[i].writer
	for k := range list[:i] {
		if m.releases(list[k].src, owner) {
			return true
		}
	}
	for k := range m.guards {
		if g := &m.guards[k]; g.loc == x && g.owner == owner && int(g.head) < i && i <= int(g.last) {
			return true
		}
	}
	for k := range m.promises { // what its unit will yet do comes before it
		if p := &m.promises[k]; p.loc == x && int(p.at) == i {
			return true
		}
	}
	return false
}

// ground forgets how the oldest message of each location was written, where all who
// may use the location have seen it: nothing can come before it any more, and what it
// publishes says by itself who did. Whether it is a read-modify-write depends on
// whether what it read was dropped or merged with it. With promises nothing that is
// plain is merged.
func (c *Canon) ground(m *Memory) {
	if m.L.Traits.Promises || c.Keep&KeepMessages != 0 {
		return
	}
	for a := range m.L.atomics {
		if m.start[a] < m.start[a+1] && c.low[m.L.slot[a]] > 0 {
			q := &m.msgs[m.start[a]]
			q.writer, q.na, q.rmw = initial, true, false
		}
	}
}
