package memmodel

import "math/bits"

// The seq_cst constraint (rules section 8) is kept as a graph of what must
// precede what in the total order S, transitively closed. S is not the order
// of execution: a step that would close a cycle is not possible, and nothing
// else is chosen. docs/semantics.md derives the edges from the rules.
//
// An event stays in the graph while it can still get an edge from a later
// one ("open"); after that it only passes on what precedes it, and is replaced
// everywhere by its open predecessors (contract).

// scSet is a set of events of the graph, by index.
type scSet uint64

const scLimit = 64

// scNone is the event of an operation that is not seq_cst.
const scNone = -1

func scBit(e int) scSet {
	if e == scNone {
		return 0
	}
	return 1 << e
}

func (s scSet) has(e int) bool { return s&(1<<e) != 0 }

type scEvent struct {
	unit  int32  // whose operation
	event uint32 // of the unit's
	after scSet  // events that it precedes in S
	scope Scope  // for SCScoped
	fence bool   // it is a fence
	write bool   // it writes
}

// scGraph is the part of the memory's state that concerns seq_cst. Vectors
// of thresholds and clocks have one entry per unit.
type scGraph struct {
	events []scEvent // those that can still decide what S may be
	// An event of unit u that has seen, in component c, event number
	// thresholds[(e*ncomps+c)*units+u] of unit u or a later one comes after event e.
	thresholds []uint32
	// What a seq_cst write's unit had seen, in the location's component, at the
	// write: clocks[e*units+u].
	clocks []uint32

	// Of messages that have been dropped, by atomic location: their
	// beforeWrites and beforeFences.
	baseWrites, baseFences []scSet
	beforeNext             []scSet // by unit: what must precede its next fence
	fences                 []scSet // by unit: what its fences so far stand for
	// kinds of operation seen, for Spec.SCConditional.
	fine, device, other bool
	cyclic              bool // S cannot exist; allowed only if its condition fails
	Full                bool // the graph's size limit was met: the search is incomplete
}

const never = ^uint32(0)

func (g *scGraph) reset(l *Layout) {
	*g = scGraph{events: g.events[:0], thresholds: g.thresholds[:0], clocks: g.clocks[:0],
		baseWrites: g.baseWrites[:0], baseFences: g.baseFences[:0], beforeNext: g.beforeNext[:0], fences: g.fences[:0]}
	if l.Traits.SeqCst {
		g.baseWrites = resize(g.baseWrites, len(l.atomics))
		g.baseFences = resize(g.baseFences, len(l.atomics))
		g.beforeNext = resize(g.beforeNext, len(l.Units))
		g.fences = resize(g.fences, len(l.Units))
	}
}

func (g *scGraph) copyFrom(o *scGraph) {
	g.events = append(g.events[:0], o.events...)
	g.thresholds = append(g.thresholds[:0], o.thresholds...)
	g.clocks = append(g.clocks[:0], o.clocks...)
	g.baseWrites = append(g.baseWrites[:0], o.baseWrites...)
	g.baseFences = append(g.baseFences[:0], o.baseFences...)
	g.beforeNext = append(g.beforeNext[:0], o.beforeNext...)
	g.fences = append(g.fences[:0], o.fences...)
	g.fine, g.device, g.other, g.cyclic, g.Full = o.fine, o.device, o.other, o.cyclic, o.Full
}

// condition reports whether S must exist given the operations seen (rule 8.1).
func (g *scGraph) condition() bool { return !g.other && !(g.fine && g.device) }

// open reports whether a cycle still waits for an operation that voids S.
func (g *scGraph) open(l *Layout) bool { return g.cyclic && g.condition() }

// scComps returns the components in which an operation with these natural
// components takes part in happens-before (rules 5.7, 6.8).
func (m *Memory) scComps(c compSet) compSet {
	if m.L.Spec.SCBoth {
		return allComps
	}
	return c & allComps
}

// classify notes a seq_cst operation of unit u for Spec.SCConditional. x < 0: a
// fence. The atomics of the host have no scope of their own.
func (m *Memory) classify(u Unit, x Loc, s Scope) {
	if !m.L.Spec.SCConditional {
		return
	}
	fineLoc := x >= 0 && m.L.Locs[x].Region == Global && m.L.Locs[x].Kind.SVMAtomics()
	if !fineLoc && m.L.Units[u].Host {
		s = ScopeDevice
	}
	switch {
	case s == ScopeAllSVMDevices && (fineLoc || x < 0 && m.L.Spec.SCFencesExempt):
		if fineLoc {
			m.sc.fine = true
		}
	case s == ScopeDevice && !fineLoc:
		m.sc.device = true
	default:
		m.sc.other = true
	}
}

// scEvent adds unit u's present event to the graph, after all that happens
// before it (rule 8.2), whatever its scope (rule 8.8).
func (m *Memory) scEvent(u Unit, comps compSet, s Scope, fence bool) (int, bool) {
	g, n := &m.sc, Unit(len(m.L.Units))
	if len(g.events) == scLimit && !m.makeRoom() {
		g.Full = true
		return 0, false
	}
	e := len(g.events)
	g.events = append(g.events, scEvent{unit: int32(u), event: m.count[u], scope: s, fence: fence})
	for c := 0; c < m.L.ncomps; c++ {
		for t := Unit(0); t < n; t++ {
			v := never
			if t == u && comps&(1<<c) != 0 {
				v = m.count[u]
			}
			g.thresholds = append(g.thresholds, v)
		}
	}
	for t := Unit(0); t < n; t++ {
		g.clocks = append(g.clocks, 0)
	}
	for o := 0; o < e; o++ {
		if m.comesAfter(o, u, comps) && !m.edge(o, e) {
			return e, false
		}
	}
	return e, true
}

// comesAfter reports whether what unit u does now, in these components, happens
// after event o or after something that o precedes.
func (m *Memory) comesAfter(o int, u Unit, comps compSet) bool {
	v := m.view(u)
	for c := 0; c < m.L.ncomps; c++ {
		if comps&(1<<c) != 0 && m.isAfter(v, o, c) {
			return true
		}
	}
	return false
}

// isAfter reports whether what comes after a vector in component c happens after event o or
// after something that o precedes.
func (m *Memory) isAfter(v []uint32, o, c int) bool {
	n := len(m.L.Units)
	at := (o*m.L.ncomps + c) * n
	k := m.L.clock[c]
	for t, r := range m.sc.thresholds[at : at+n] {
		if v[int(k)+t] >= r {
			return true
		}
	}
	return false
}

// edge notes that event a precedes event b in S. The result is false if S then
// cannot exist.
func (m *Memory) edge(a, b int) bool {
	g := &m.sc
	if m.L.Spec.SC == SCScoped && !m.scInclusive(a, b) {
		return true
	}
	if a == b || g.events[b].after.has(a) {
		if m.L.Spec.SCConditional && m.L.Traits.MixedSC {
			g.cyclic = true
			return true
		}
		return false
	}
	if g.events[a].after.has(b) {
		return true
	}
	add := g.events[b].after | scBit(b)
	for i := range g.events {
		if i == a || g.events[i].after.has(a) {
			g.events[i].after |= add
		}
	}
	return true
}

// scInclusive reports whether two seq_cst operations have inclusive scopes,
// wherever they act (SCScoped).
func (m *Memory) scInclusive(a, b int) bool {
	p, q := &m.sc.events[a], &m.sc.events[b]
	s := min(p.scope, q.scope)
	if m.L.Spec.Inclusion == SameScope && p.scope != q.scope {
		return false
	}
	return m.L.within(Unit(p.unit), Unit(q.unit), s, nil)
}

// edges notes that all events of a set precede event b. The event that is being
// performed may be in sets that it has just been added to, and is passed over.
func (m *Memory) edges(from scSet, b, performing int) bool {
	for from != 0 {
		a := bits.TrailingZeros64(uint64(from))
		from &= from - 1
		if a == b && b == performing {
			continue
		}
		if !m.edge(a, b) {
			return false
		}
	}
	return true
}

// fencesAfter returns the seq_cst fences that follow message q in its unit.
func (m *Memory) fencesAfter(q *message) (s scSet) {
	if q.writer == initial || q.na {
		return 0
	}
	for e := range m.sc.events {
		if ev := &m.sc.events[e]; ev.fence && ev.unit == q.writer && ev.event > q.event {
			s |= scBit(e)
		}
	}
	return s
}

func (m *Memory) allBefore(from, to scSet) bool {
	for ; to != 0; to &= to - 1 {
		if !m.edges(from, bits.TrailingZeros64(uint64(to)), scNone) {
			return false
		}
	}
	return true
}

// scRead adds the constraints of unit u reading message number at of x, as
// seq_cst event ev or as an atomic operation of another order.
func (m *Memory) scRead(u Unit, x Loc, at, ev int) bool {
	if ev != scNone {
		m.classify(u, x, m.sc.events[ev].scope)
	}
	fences, me := m.sc.fences[u], scBit(ev)
	if fences|me == 0 {
		return true
	}
	list := m.list(x)
	src := &list[at]
	// Rule 8.3: the load precedes later seq_cst writes if its source is itself
	// seq_cst or happens before them all, as initial values do, and, without a
	// race, non-atomic stores; in the simplified reading always.
	all := m.L.Spec.SC >= SCSimplified || src.sc || src.na
	for i := at + 1; i < len(list); i++ {
		q := &list[i]
		if q.na {
			continue
		}
		if a := m.scWriteEvent(q); a != scNone && a != ev {
			if !m.edges(fences, a, scNone) { // rule 8.4
				return false
			}
			known := m.L.Spec.SC == SCPartial && m.knownAt(src, a)
			if ev != scNone && (all || known) && !m.edge(ev, a) {
				return false
			}
		}
		if !m.allBefore(fences|me, m.fencesAfter(q)) { // rules 8.5, 8.6
			return false
		}
	}
	src.beforeFences |= fences | me
	src.beforeWrites |= fences
	switch {
	case all:
		src.beforeWrites |= me
	case ev != scNone && !m.sc.events[ev].write && (m.L.Spec.SC == SCPartial || m.L.Traits.Gaps):
		src.beforeKnown |= me // a read-modify-write is itself a write, between the others
	}
	return true
}

// scWriteEvent returns the event of a seq_cst write that is still in the graph.
func (m *Memory) scWriteEvent(q *message) int {
	if !q.sc {
		return scNone
	}
	for e := range m.sc.events {
		if ev := &m.sc.events[e]; ev.unit == q.writer && ev.event == q.event {
			return e
		}
	}
	return scNone
}

// knownAt reports whether message q happens before seq_cst write a of the same
// location.
func (m *Memory) knownAt(q *message, a int) bool {
	return q.writer == initial || q.event <= m.sc.clocks[a*len(m.L.Units)+int(q.writer)]
}

// scWrite adds the constraints of the new message at index p of x.
func (m *Memory) scWrite(u Unit, x Loc, p, ev int) bool {
	g := &m.sc
	list := m.list(x)
	w := &list[p]
	fences, me := g.fences[u], scBit(ev)
	simple := m.L.Spec.SC >= SCSimplified
	if ev != scNone {
		m.classify(u, x, g.events[ev].scope)
		if m.L.Spec.SC == SCPartial || m.L.Traits.Gaps {
			k := m.view(u)[m.L.clock[m.L.comp[x]]:]
			copy(g.clocks[ev*len(m.L.Units):(ev+1)*len(m.L.Units)], k)
		}
		before := g.baseWrites[m.L.atom[x]]
		for i := range list[:p] {
			q := &list[i]
			before |= q.beforeWrites
			if q.beforeKnown != 0 && m.L.Spec.SC == SCPartial && m.knownAt(q, ev) {
				before |= q.beforeKnown
			}
		}
		if !m.edges(before, ev, ev) { // rules 8.2, 8.3, 8.4
			return false
		}
	}
	for i := p + 1; i < len(list); i++ {
		q := &list[i]
		if q.na {
			continue
		}
		if a := m.scWriteEvent(q); a != scNone {
			if ev != scNone && !m.edge(ev, a) || simple && !m.edges(fences, a, scNone) {
				return false
			}
		}
		before := fences // rule 8.7
		if simple {
			before |= me
		}
		if !m.allBefore(before, m.fencesAfter(q)) {
			return false
		}
	}
	w.beforeWrites, w.beforeFences = me, fences
	if simple {
		w.beforeWrites |= fences
		w.beforeFences |= me
	}
	return true
}

// scFence adds unit u's seq_cst fence to the graph.
func (m *Memory) scFence(u Unit, f Flags, s Scope) bool {
	comps := m.scComps(flagComps(f))
	if m.L.Spec.SC >= SCSimplified {
		comps = allComps // the published models compose sequenced-before with happens-before
	}
	m.classify(u, -1, s)
	e, ok := m.scEvent(u, comps, s, true)
	if !ok || !m.edges(m.sc.beforeNext[u], e, e) {
		return false
	}
	for a, x := range m.L.atomics {
		before := m.sc.baseFences[a]
		list := m.list(x)
		for i := range list {
			q := &list[i]
			if Unit(q.writer) == u && !q.na && !m.edges(before, e, e) { // rules 8.5 to 8.7
				return false
			}
			before |= q.beforeFences
		}
	}
	m.sc.fences[u] |= scBit(e)
	return true
}

// GraphFull reports whether the execution has met the limit on the number of
// seq_cst operations that are kept, so that it may have been abandoned wrongly.
func (m *Memory) GraphFull() bool { return m.sc.Full }
