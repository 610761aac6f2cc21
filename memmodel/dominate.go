package memmodel

import "slices"

// Dominates reports whether m differs from o, which the same unit's operation
// has led to from the same memory, at most in that units have seen less of some
// locations. Then whatever can happen from o can happen from m: a unit that has
// seen less can read and insert wherever it could have, and tells others no more
// than it would have told them. What happens before what is the same, so that
// nothing races that would not.
func (m *Memory) Dominates(o *Memory) bool {
	if m.L != o.L || m.L.Traits.SeqCst || len(m.guards)+len(o.guards)+len(m.promises)+len(o.promises) > 0 {
		return false
	}
	for u := range m.L.units() {
		if !m.L.behind(m.view(u), o.view(u), u) {
			return false
		}
	}
	return slices.Equal(m.words, o.words) && slices.Equal(m.sets, o.sets) &&
		slices.Equal(m.msgs, o.msgs) && slices.Equal(m.values, o.values) &&
		slices.Equal(m.recHead, o.recHead) && slices.Equal(m.recs, o.recs) &&
		slices.Equal(m.srcs, o.srcs) && slices.Equal(m.snaps, o.snaps) &&
		slices.Equal(m.relfHead, o.relfHead) && slices.Equal(m.relf, o.relf) &&
		slices.Equal(m.pendHead, o.pendHead) && slices.Equal(m.pend, o.pend)
}

// behind reports whether view v knows no more of any location than w does, and
// as much of units other than u, as far as that can tell a race.
func (l *Layout) behind(v, w []uint32, u Unit) bool {
	for k := l.first; k < l.ncomps; k++ {
		for at := l.bound[k]; at < l.clock[k]; at++ {
			if v[at] > w[at] {
				return false
			}
		}
		for at := l.clock[k]; at < l.bound[k+1]; at++ {
			if v[at] != w[at] && !l.own(u, k, at) {
				return false
			}
		}
	}
	return true
}

// WouldOrder reports whether unit u, if it acquires the message of location x `back` before the newest, comes after anything that it
// does not come after yet, as far as that can tell a race.
func (m *Memory) WouldOrder(u Unit, x Loc, back int) bool {
	if !m.L.Timed() {
		return false
	}
	list := m.list(x)
	for c := m.carried(len(list) - 1 - back); c.at >= 0; c.next(list) {
		for i := list[c.at].src; i != none; i = m.srcs[i].next {
			if !m.L.knows(m.view(u), m.snap(m.srcs[i].snap), u) {
				return true
			}
		}
	}
	return false
}

// knows reports whether unit u, whose view is v, comes after all that w comes after, as far as that can tell a race.
func (l *Layout) knows(v, w []uint32, u Unit) bool {
	for k := l.first; k < l.ncomps; k++ {
		for at := l.clock[k]; at < l.bound[k+1]; at++ {
			if w[at] > v[at] && !l.own(u, k, at) {
				return false
			}
		}
	}
	return true
}

// TeachesNothing reports whether unit u, when it loads the message of location x
// `back` before the newest, learns nothing, and nothing is told apart but by
// what units have seen of locations.
func (m *Memory) TeachesNothing(u Unit, x Loc, back int) bool {
	at := len(m.list(x)) - 1 - back
	if int(m.seen(u, x)) != at+1 || len(m.guards)+len(m.promises) > 0 || m.L.Timed() {
		return false
	}
	list := m.list(x)
	for c := m.carried(at); c.at >= 0; c.next(list) {
		for i := list[c.at].src; i != none; i = m.srcs[i].next {
			if !m.L.behind(m.snap(m.srcs[i].snap), m.view(u), u) {
				return false
			}
		}
	}
	return true
}
