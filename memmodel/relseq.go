package memmodel

// Continues reports whether a write goes on with a release sequence that a unit heads: its own ones do, and read-modify-writes
// by anybody (rule 5.4).
func Continues[U comparable](head, writer U, rmw bool) bool { return rmw || writer == head }

// guard records what a reader assumed about a release sequence of location
// loc from message number head to message number last, made by unit owner
// (rule 5.4). A store by another unit that is inserted in between later would
// break the sequence.
type guard struct {
	loc        Loc   // the location of the release sequence
	head, last int32 // the messages that the sequence leads from and to
	owner      int32 // the unit whose plain stores it is made of
	// broken: the reader assumed that such a store will come; the execution
	// counts only once it has. Otherwise no such store may come.
	broken bool
}

// shift makes room for a message inserted at index p.
func (g *guard) shift(p int32) {
	if g.head >= p {
		g.head++
	}
	if g.last >= p {
		g.last++
	}
}

// guarded reports whether unit u may not insert a store at index p of x.
func (m *Memory) guarded(u Unit, x Loc, p int) bool {
	for _, g := range m.guards {
		if !g.broken && g.loc == x && Unit(g.owner) != u && int(g.head) < p && p <= int(g.last) {
			return true
		}
	}
	return false
}

// Guarded reports whether a reader has assumed anything about stores to x.
func (m *Memory) Guarded(x Loc) bool {
	for i := range m.guards {
		if m.guards[i].loc == x {
			return true
		}
	}
	return false
}

// unmet reports whether a guard still waits for the store that breaks its release sequence (rule 5.4).
func (m *Memory) unmet(g *guard) bool {
	if !g.broken {
		return false
	}
	for _, q := range m.list(g.loc)[g.head+1 : g.last+1] {
		if !Continues(g.owner, q.writer, q.rmw) {
			return false
		}
	}
	return true
}

// Open reports whether the execution so far rests on an assumption that has
// not come true yet, or has seq_cst loads that only a later write can give a place
// in S. If it ends so, it never existed: nothing in it may be reported.
func (m *Memory) Open() bool {
	if len(m.promises) > 0 {
		return true
	}
	for i := range m.guards {
		if m.unmet(&m.guards[i]) {
			return true
		}
	}
	return m.sc.open(m.L) || !m.ordered()
}

// carrier walks over the messages whose releases a message may carry, from that
// one to older ones. Each is in a segment: 0 are those that no later store can
// separate from the message, k those behind k plain stores of one unit, the
// owner. Of these only the owner's releases count, and another unit's store can
// still break the sequence.
type carrier struct {
	at      int   // number of the message, or -1 at the end
	segment int   // the present segment's number
	owner   int32 // whose plain stores continue it
}

// carried begins a walk from message number at, if any message publishes anything.
func (m *Memory) carried(at int) carrier {
	if len(m.srcs) == 0 {
		at = none
	}
	return carrier{at: at, owner: initial}
}

// next goes on in a location's messages, for as long as a release sequence goes on (rule 5.4). Read-modify-writes that publish nothing change
// nothing for who walks, and of a counter there may be thousands.
func (c *carrier) next(list []message) {
	q := &list[c.at]
	c.at--
	switch {
	case q.rmw:
		for c.at >= 0 && list[c.at].rmw && list[c.at].src == none {
			c.at--
		}
	case c.segment > 0 && q.writer != c.owner || q.writer == initial:
		c.at = none
	default:
		c.owner = q.writer
		c.segment++
	}
}

// extent describes the release sequences of a message behind its segment 0.
type extent struct {
	segments int   // the farthest segment with a release
	owner    int32 // whose plain stores lie between
	intact   int   // the farthest segment that is assumed to stay intact
	head     int32 // the oldest release behind segment 0 up to there, or -1
	cut      int32 // the newest release beyond, or -1
	guarded  bool  // whether the assumption must be recorded
}

// extent returns the extent of message number at of x for a read by unit u,
// given the guess that the farthest `broken` segments will be broken. It must
// be asked before the read changes what u has seen.
func (m *Memory) extent(u Unit, x Loc, at, broken int) extent {
	r := extent{head: -1, cut: -1}
	list := m.list(x)
	for c := m.carried(at); c.at >= 0; c.next(list) {
		if c.segment > 0 && m.telling(x, at, c) {
			r.segments, r.owner = c.segment, c.owner
		}
	}
	r.intact = r.segments - broken
	r.guarded = r.segments > 0 && Unit(r.owner) != u && m.mayBreak(x, r.owner)
	if !r.guarded {
		return r
	}
	for c := m.carried(at); c.at >= 0; c.next(list) {
		switch {
		case c.segment == 0 || !m.telling(x, at, c):
		case c.segment > r.intact:
			r.cut = max(r.cut, int32(c.at))
		default:
			r.head = int32(c.at)
		}
	}
	return r
}

// plainWriter returns the writer of the newest message that is not of a
// read-modify-write: of any segment but 0, the owner.
func plainWriter(list []message) int32 {
	for i := len(list) - 1; i > 0; i-- {
		if !list[i].rmw {
			return list[i].writer
		}
	}
	return initial
}

// telling reports whether the message that a walk from message number at of x has reached has a release of the owner (a release of another
// unit is not in the release sequence: rule 5.4) which publishes something that an acting unit may lack, if it reads message at. What all
// units have seen is not in the canonical form of a state, so no guess may depend on it; nor on what a nearer release publishes.
func (m *Memory) telling(x Loc, at int, c carrier) bool {
	for i := m.list(x)[c.at].src; i != none; i = m.srcs[i].next {
		if m.srcs[i].key.unit == c.owner && m.news(x, m.snap(m.srcs[i].snap)) && !m.toldNearer(x, at, c.at, &m.srcs[i]) {
			return true
		}
	}
	return false
}

// toldNearer reports whether who reads message number at of x, and takes a release of the older message number from, takes a newer one that
// is made in the same way and says as much.
// docs/exploration/canonical-form.md, "What a nearer release says".
func (m *Memory) toldNearer(x Loc, at, from int, s *messageView) bool {
	if m.L.Traits.SeqCst {
		return false
	}
	list := m.list(x)
	for c := m.carried(at); c.at > from; c.next(list) {
		for i := list[c.at].src; i != none; i = m.srcs[i].next {
			if m.srcs[i].key == s.key && m.covered(s.snap, m.srcs[i].snap) {
				return true
			}
		}
	}
	return false
}

// covered reports whether one published vector says no more than another.
func (m *Memory) covered(snap, by int32) bool {
	w := m.snap(by)
	for i, v := range m.snap(snap) {
		if v > w[i] {
			return false
		}
	}
	return true
}

// news reports whether some acting unit has seen less than a vector says, in a way
// that something can tell: of a location that it may use, or of another unit's
// events, if anything refers to one of those. The vector was published by a message
// of x, of which its readers have seen as much, unless S can tell the difference.
func (m *Memory) news(x Loc, snap []uint32) bool {
	for a, y := range m.L.atomics {
		if y == x && !m.L.Traits.SeqCst {
			continue
		}
		if at := int(m.L.slot[a]); snap[at] > 0 && snap[at] > m.least(at, m.L.Locs[y].Users, -1) {
			return true
		}
	}
	behind := false
	for k := m.L.first; k < m.L.ncomps; k++ {
		for t, e := range m.L.clocks(snap, k) {
			behind = behind || e > 0 && e > m.least(int(m.L.clock[k])+t, nil, Unit(t))
		}
	}
	told := false
	if behind {
		m.eachEvent(func(u int32, e *uint32, comps compSet) {
			for k := m.L.first; k < m.L.ncomps && !told; k++ {
				if comps&(1<<k) != 0 && len(m.L.clocks(snap, k)) > 0 {
					at := m.L.clock[k] + u
					told = *e <= snap[at] && *e > m.least(int(at), nil, Unit(u))
				}
			}
		})
	}
	return told
}

// least returns the least that an acting unit but `but` has seen in entry `at` of its view:
// one of a set of units, or any if that is nil.
func (m *Memory) least(at int, users []uint64, but Unit) uint32 {
	low := uint32(everything)
	for u := range m.L.units() {
		if m.Acting(u) && u != but && (users == nil || hasBit(users, u)) {
			low = min(low, m.view(u)[at])
		}
	}
	return low
}

// Cuts returns the number of guesses to explore for a read by unit u of the
// message `back` before the newest: broken = 0 .. Cuts-1. A later store may still
// break each release sequence that the message is in (rule 5.4).
func (m *Memory) Cuts(u Unit, x Loc, back Msg) int {
	if len(m.srcs) == 0 {
		return 1
	}
	at := len(m.list(x)) - 1 - int(back)
	if owner := plainWriter(m.list(x)[:at+1]); owner == initial || owner == int32(u) || !m.mayBreak(x, owner) {
		return 1
	}
	if r := m.extent(u, x, at, 0); r.guarded {
		return r.segments + 1
	}
	return 1
}

// mayBreak reports whether a unit other than owner may still store to x.
func (m *Memory) mayBreak(x Loc, owner int32) bool {
	for w, bits := range m.L.Locs[x].Storers {
		bits &= m.alive[w]
		if int(owner>>6) == w {
			bits &^= 1 << (owner & 63)
		}
		if bits != 0 {
			return true
		}
	}
	return false
}

// assume records what a read of message number at of x takes for granted about
// its release sequences.
func (m *Memory) assume(x Loc, at int, r extent) {
	if r.head >= 0 {
		m.guard(guard{loc: x, head: r.head, last: int32(at), owner: r.owner})
	}
	if r.cut >= 0 {
		m.guard(guard{loc: x, head: r.cut, last: int32(at), owner: r.owner, broken: true})
	}
}

func (m *Memory) guard(g guard) {
	for _, h := range m.guards {
		if h == g {
			return
		}
	}
	m.guards = append(m.guards, g)
}
