package memmodel

import "math/bits"

// Rule 8.3 leaves a choice for a seq_cst load of a value that no seq_cst operation
// wrote and that was not there from the beginning: the load may stand in S after any
// seq_cst write of the location that its source does not happen before, or before
// all of them. A later write can still save it, so that it is *undecided* until the
// choice makes no difference, and an execution counts as soon as the undecided
// loads have a place each (docs/semantics.md, section 4).

// pendingFR is an undecided load.
type pendingFR struct {
	load   int   // the number of its seq_cst event
	writes []int // of the location, behind the load's source, in modification order
	bad    scSet // those that the source happens before
}

// gappy reports whether loads can be undecided.
func (m *Memory) gappy() bool { return m.L.Traits.Gaps && m.L.Spec.SC == SCText }

// ordered reports whether a total order S exists for what has been performed so
// far, as far as undecided loads go.
func (m *Memory) ordered() bool {
	if !m.gappy() || m.L.Spec.SCConditional && !m.sc.condition() {
		return true
	}
	var gaps []pendingFR
	for _, x := range m.L.atomics {
		gaps = m.gaps(x, gaps)
	}
	return m.fillGaps(gaps)
}

func (m *Memory) gaps(x Loc, gaps []pendingFR) []pendingFR {
	list := m.list(x)
	for i := range list {
		q := &list[i]
		if q.beforeKnown == 0 {
			continue
		}
		var writes []int
		var bad scSet
		for k := range list[i+1:] {
			if a := m.scWriteEvent(&list[i+1+k]); a != scNone {
				writes = append(writes, a)
				if m.knownAt(q, a) {
					bad |= scBit(a)
				}
			}
		}
		for rest := q.beforeKnown; rest != 0 && bad != 0; rest &= rest - 1 {
			gaps = append(gaps, pendingFR{bits.TrailingZeros64(uint64(rest)), writes, bad})
		}
	}
	return gaps
}

// fillGaps searches for a place in S for each load.
func (m *Memory) fillGaps(gaps []pendingFR) bool {
	if len(gaps) == 0 {
		return true
	}
	g := gaps[0]
	saved := append([]scEvent(nil), m.sc.events...)
	for i := 0; i <= len(g.writes); i++ {
		if i > 0 && g.bad.has(g.writes[i-1]) {
			continue
		}
		ok := i == 0 || m.edge(g.writes[i-1], g.load)
		ok = ok && (i == len(g.writes) || m.edge(g.load, g.writes[i]))
		ok = ok && !m.sc.cyclic && m.fillGaps(gaps[1:])
		copy(m.sc.events, saved)
		m.sc.cyclic = false
		if ok {
			return true
		}
	}
	return false
}

// decide takes the loads off the list of the undecided for which the choice makes
// no difference any more.
func (m *Memory) decide() {
	if !m.gappy() {
		return
	}
	for a, x := range m.L.atomics {
		list := m.list(x)
		before := m.sc.baseWrites[a] // all seq_cst writes behind list[i]
		for i := range list {
			q := &list[i]
			before |= q.beforeWrites
			for rest := q.beforeKnown; rest != 0; rest &= rest - 1 {
				e := bits.TrailingZeros64(uint64(rest))
				if m.indifferent(e, q, x, before) || m.repeated(e, q.beforeKnown) {
					q.beforeKnown &^= scBit(e)
				}
			}
		}
	}
}

// indifferent reports whether it adds no constraint to put load e before every
// write that its source q happens before: whether all that precedes e precedes
// those writes in any case, being among the events that precede all seq_cst writes
// behind q, or before q in happens-before, or before one of these.
func (m *Memory) indifferent(e int, q *message, x Loc, before scSet) bool {
	for p := range m.sc.events {
		if m.sc.events[p].after.has(e) && (scBit(p)|m.sc.events[p].after)&before == 0 && !m.precedes(p, q, x) {
			return false
		}
	}
	return true
}

// precedes reports whether whoever knows message q of x comes after event p.
func (m *Memory) precedes(p int, q *message, x Loc) bool {
	row := (p*m.L.ncomps + int(m.L.comp[x])) * len(m.L.Units)
	return q.writer >= 0 && q.event != ahead && q.event >= m.sc.thresholds[row+int(q.writer)]
}

// repeated reports whether load e can stand right before one of the other loads
// given, wherever that one stands.
func (m *Memory) repeated(e int, loads scSet) bool {
	for rest := m.sc.events[e].after & loads; rest != 0; rest &= rest - 1 {
		if m.coveredBy(e, bits.TrailingZeros64(uint64(rest)), 0, 0) {
			return true
		}
	}
	return false
}

// coveredBy reports whether event b comes after event a, and so does in S, but for b
// itself, all that comes after a now or later. Of the messages from..to-1 each is
// read by the next, and the last by that of event b and by nobody else any more: what they
// constrain is behind that one, and what the last publishes it will publish.
func (m *Memory) coveredBy(a, b, from, to int) bool {
	p, q := &m.sc.events[a], &m.sc.events[b]
	if !p.after.has(b) || p.after&^(q.after|scBit(b)) != 0 {
		return false
	}
	if m.L.Spec.SC == SCScoped && (p.scope != q.scope || !m.scInclusive(a, b)) {
		return false // others may have inclusive scope with one of them only
	}
	both := func(s scSet) bool { return !s.has(a) || s.has(b) }
	for x := range m.L.atomics {
		if !both(m.sc.baseWrites[x]) || !both(m.sc.baseFences[x]) {
			return false
		}
		for i := int(m.start[x]); i < int(m.start[x+1]); i++ {
			q := &m.msgs[i]
			heard := q.src
			if from <= i && i < to {
				heard = m.msgs[to].src
			} else if !(both(q.beforeWrites) && both(q.beforeFences) && both(q.beforeKnown)) {
				return false
			}
			if !m.tellBoth(a, b, m.L.atomics[x], q.src, heard) {
				return false
			}
		}
	}
	for u := range m.L.units() { // that those who have ended are passed over saves a round of Normalise, which leaves nothing of what they have seen
		if m.Live(u) && !(both(m.sc.beforeNext[u]) && both(m.sc.fences[u]) && m.afterBoth(a, b, m.view(u)) &&
			m.publishBoth(a, b, m.relf, m.relfHead[u]) && m.publishBoth(a, b, m.pend, m.pendHead[u])) {
			return false
		}
	}
	return true
}

// publishBoth reports whether no source in a list publishes that event a has
// happened, but not event b.
func (m *Memory) publishBoth(a, b int, pool []messageView, head int32) bool {
	for i := head; i != none; i = pool[i].next {
		if !m.afterBoth(a, b, m.snap(pool[i].snap)) {
			return false
		}
	}
	return true
}

// tellBoth reports whether nobody who reads a message of x learns that event a has
// happened from a source in one list, but not that event b has, from that or, at the same
// time, from one in another list.
func (m *Memory) tellBoth(a, b int, x Loc, list, heard int32) bool {
	for i := list; i != none; i = m.srcs[i].next {
		s := &m.srcs[i]
		if m.afterBoth(a, b, m.snap(s.snap)) {
			continue
		}
		k := heard
		for k != none && !(m.L.together(s.key, m.srcs[k].key, x) && m.subsumes(a, b, s, &m.srcs[k])) {
			k = m.srcs[k].next
		}
		if k == none {
			return false
		}
	}
	return true
}

// subsumes reports whether source t publishes that event b has happened wherever source
// s does of event a, and its own unit, which takes nothing from it, knows that.
func (m *Memory) subsumes(a, b int, s, t *messageView) bool {
	u := Unit(t.key.unit)
	for c := m.L.first; c < m.L.ncomps; c++ {
		if m.isAfter(m.snap(s.snap), a, c) && !(m.isAfter(m.snap(t.snap), b, c) && (!m.Live(u) || m.isAfter(m.view(u), b, c))) {
			return false
		}
	}
	return true
}

// afterBoth reports whether what comes after a vector in some component comes
// after event b, if after event a.
func (m *Memory) afterBoth(a, b int, v []uint32) bool {
	for c := m.L.first; c < m.L.ncomps; c++ {
		if m.isAfter(v, a, c) && !m.isAfter(v, b, c) {
			return false
		}
	}
	return true
}

// undecided reports whether some load is.
func (m *Memory) undecided() bool {
	if !m.gappy() {
		return false
	}
	for i := range m.msgs {
		if m.msgs[i].beforeKnown != 0 {
			return true
		}
	}
	return false
}

// kept returns the events of a location that undecided loads need: themselves and
// the seq_cst writes behind their sources.
func (m *Memory) kept(x Loc) (s scSet) {
	list := m.list(x)
	for i := range list {
		if s != 0 {
			s |= scBit(m.scWriteEvent(&list[i]))
		}
		s |= list[i].beforeKnown
	}
	return s
}
