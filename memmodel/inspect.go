package memmodel

// Knows reports whether all that unit t has done or seen happens before what
// unit u does next, in global memory.
func (m *Memory) Knows(u, t Unit) bool {
	mine, theirs := m.view(u), m.view(t)
	for k := compCoarse; k < m.L.ncomps; k++ {
		for at := m.L.bound[k]; at < m.L.bound[k+1]; at++ {
			v := theirs[at]
			if m.L.own(t, k, at) && m.row[t] != none {
				v = m.done(t, k)
			}
			if mine[at] < v && !m.L.own(u, k, at) {
				return false
			}
		}
	}
	return true
}

// Latest reports whether unit u must read the newest message of atomic location
// x: all others are behind its view.
func (m *Memory) Latest(u Unit, x Loc) bool { return int(m.seen(u, x)) == len(m.list(x)) }

// AppendSeen appends how far unit u has seen of each atomic location, in the order of their numbers (Layout.Atom): of two of these
// figures of one location the greater one tells of more.
func (m *Memory) AppendSeen(list []uint32, u Unit) []uint32 {
	v := m.view(u)
	for _, at := range m.L.slot {
		list = append(list, v[at])
	}
	return list
}

// What follows lets a trace say what happened. The search does not use it.

// Event returns how many events unit u has performed: the number, counting
// from 1, of its last one. Only a memory that was never normalised numbers
// events so.
func (m *Memory) Event(u Unit) uint32 { return m.count[u] }

// Known returns which message of atomic location x is the newest that unit u
// may not go behind, counted from the newest, and false if it has seen none.
func (m *Memory) Known(u Unit, x Loc) (back int, ok bool) {
	v := int(m.seen(u, x))
	return len(m.list(x)) - v, v > 0
}

// HappensBefore reports whether event e of unit t happens before what unit u
// does next, in the happens-before relation that orders location x, for one
// that can race.
func (m *Memory) HappensBefore(t Unit, e uint32, u Unit, x Loc) bool {
	clocks := m.L.clocks(m.view(u), int(m.L.comp[x]))
	return t == u || len(clocks) == 0 || clocks[t] >= e
}

// Inclusive reports whether an action of unit t with scope s and one of unit u
// with scope r, both on location x, have inclusive scopes (rules 3.4 to 3.7).
func (l *Layout) Inclusive(t Unit, s Scope, u Unit, r Scope, x Loc) bool {
	return l.inclusive(t, s, u, r, x)
}
