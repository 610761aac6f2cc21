package memmodel

import "slices"

// Future is what a unit may still do: sets of locations, as bits by their index
// in the Layout, and kinds of operation. It may name too much, never too little.
type Future struct {
	Access []uint64 // accesses of any kind
	Peek   []uint64 // loads, and compare-exchanges, which load when they fail
	Store  []uint64 // stores other than by a read-modify-write
	Modify []uint64 // read-modify-writes
	Look   []uint64 // those of Peek of which Overlooks does not tell
	Late   []uint64 // those of Peek that only come behind a barrier of the unit's work-group which orders the location's memory
	Again  []uint64 // those of Store to which the code stores in a loop
	Odd    []uint64 // those of Access that may race with accesses as usual: see Layout.Odd
	// Overlooks reports whether all other loads of location x, if they read v, are rounds of waiting, or
	// do the same as if they read w; and that none learns anything by it: in a round if what has value v tells something, else
	// if what has value w tells more. Without waits no round of waiting counts.
	Overlooks func(x Loc, v, w int64, tells, more, waits bool) bool
	// Waits reports whether the unit, whichever way it goes, first comes to an access of location x that is a round of waiting if it reads v,
	// and to no store of it before that; taken: a read-modify-write has read what has value v, so that no other can.
	Waits func(x Loc, v int64, taken bool) bool
	// Abstains reports whether the unit, whichever way it goes, writes nothing to location x, but what is there, as long as it reads one of
	// some values whenever it reads x to write it.
	Abstains func(x Loc, values []int64) bool
	// Tells: what the unit has seen may come to others, by a release or otherwise.
	Tells bool
	// Acquires: an acquire fence or a barrier may come.
	Acquires bool
}

// NewFuture returns the future of a unit that touches none of n locations.
func NewFuture(n int) Future {
	w := wordsOf(n)
	all := make([]uint64, 8*w)
	return Future{Access: all[:w:w], Peek: all[w : 2*w : 2*w], Store: all[2*w : 3*w : 3*w], Modify: all[3*w : 4*w : 4*w], Look: all[4*w : 5*w : 5*w], Late: all[5*w : 6*w : 6*w], Again: all[6*w : 7*w : 7*w], Odd: all[7*w:]}
}

// Horizon is what is known of the future of a state when it is brought into
// canonical form.
type Horizon struct {
	// Units has the future of each unit, nil for one that accesses nothing. A nil
	// slice means that nothing is known but what the Layout says.
	Units []*Future
	// Wanted has the locations whose value may still matter to anybody, the
	// outcome included.
	Wanted []uint64
	// Closed: when a unit has ended, whoever learns from it what it had seen
	// will have seen all that has been done so far.
	Closed bool
	// Apart: a parked unit may wait for some acting units only, and not see what
	// the others do.
	Apart bool
	Keep  Keep // what is to be kept all the same
}

// Keep names reductions of the canonical form that are left out, to measure
// and to test them.
type Keep uint16

// What can be kept although no future can depend on it.
const (
	KeepMessages  Keep = 1 << iota // that nobody can read
	KeepLocations                  // values, messages and places in modification order at locations that nobody will look at
	KeepViews                      // what units have seen but neither need nor tell
	KeepRecords                    // of accesses that cannot race any more
	KeepRegisters                  // that hold nothing of worth
	KeepReleases                   // and who has published what, where nobody can take the one without the other
	KeepOrders                     // of reads, additions and stores that nobody can tell apart
	KeepOwners                     // of accesses, where they have ended
	// KeepSync is for who sets races aside: steps that nobody needs, but that may order a unit behind others. Without such a step it races.
	// docs/exploration/races.md, "Races that are set aside".
	KeepSync
	// KeepRounds is for who asks what can go on for ever: messages that whoever reads them only waits at.
	KeepRounds
)

func hasBit[I ~int | ~int32](set []uint64, i I) bool { return set[i>>6]&(1<<(i&63)) != 0 }

// uses reports whether unit u, which acts, may still access location x.
func (c *Canon) uses(m *Memory, u Unit, x Loc) bool {
	if c.Units == nil {
		users := m.L.Locs[x].Users
		return users == nil || hasBit(users, u)
	}
	f := c.Units[u]
	return f != nil && hasBit(f.Access, x)
}

// acts reports whether unit u acts, or when it does again may not have seen what
// those have who act now.
func (c *Canon) acts(m *Memory, u Unit) bool {
	return m.Acting(u) || c.Apart && c.Units != nil && c.Units[u] != nil && m.Live(u)
}

// foresee computes, for each location, what acting units may still do to it.
func (c *Canon) foresee(m *Memory) {
	w := wordsOf(len(m.L.Locs))
	c.peeked, c.read, c.stored, c.again = resize(c.peeked, w), resize(c.read, w), resize(c.stored, w), resize(c.again, w)
	if c.Units == nil {
		for _, x := range m.L.atomics {
			setBit(c.peeked, x, m.peeked(x))
		}
		return
	}
	for u, f := range c.Units {
		if f == nil || !c.acts(m, Unit(u)) {
			continue
		}
		for i := range c.peeked {
			c.peeked[i] |= f.Peek[i]
			c.read[i] |= f.Peek[i] | f.Modify[i]
			c.stored[i] |= f.Store[i]
			c.again[i] |= f.Again[i]
		}
	}
}

// lastOnly reports whether nobody will read atomic location x any more but units
// that, by then, will have seen all of it: only its last message counts.
func (c *Canon) lastOnly(m *Memory, x Loc) bool {
	if m.L.Traits.SeqCst || c.Keep&KeepLocations != 0 || m.Guarded(x) {
		return false
	}
	if c.Units == nil {
		return !m.L.Traits.Promises && !m.used(x)
	}
	return !hasBit(c.read, x)
}

// used reports whether a unit that has not ended may access atomic location x.
func (m *Memory) used(x Loc) bool {
	users := m.L.Locs[x].Users
	for w, set := range m.alive {
		if set != 0 && (users == nil || users[w]&set != 0) {
			return true
		}
	}
	return false
}

// keepLast drops all messages but the last where only that counts, and of it what
// nobody wants to know. Read-modify-writes at the end of the modification order
// are one with what they read: no store can come between.
// docs/exploration/canonical-form.md, "Stores whose place nobody can see".
func (c *Canon) keepLast(m *Memory) {
	c.low = c.low[:0]
	for a, x := range m.L.atomics {
		if len(m.list(x)) > 0 && c.lastOnly(m, x) {
			n := len(m.list(x))
			for ; n > 1 && m.list(x)[n-1].rmw; n-- {
				c.merge(m, a, x, n-2)
			}
			if n > 1 {
				m.forget(a, x, uint32(n-1))
			}
			q := &m.msgs[m.start[a]]
			*q = message{val: q.val, writer: initial, na: true, src: none, label: q.label}
			wanted := c.Wanted == nil || hasBit(c.Wanted, x)
			if !wanted {
				q.val = 0
			}
			if !wanted || !hasBit(c.stored, x) {
				m.setAll(int32(a), 1)
			}
		}
	}
}

// blank forgets the values of plain locations that nobody wants to know.
func (c *Canon) blank(m *Memory) {
	if c.Wanted == nil || c.Keep&KeepLocations != 0 {
		return
	}
	for x, a := range m.L.atom {
		if a < 0 && !hasBit(c.Wanted, x) {
			m.values[x] = 0
			m.written[x>>6] &^= 1 << (x & 63)
		}
	}
}

// levelViews lets a unit that will not use a location know of it what all its
// users know, and all there is if it tells nobody; and a parked one nothing that
// all acting ones know, whom it will have joined before anybody looks: that makes
// no difference to anybody.
func (c *Canon) levelViews(m *Memory) {
	c.fresh = c.fresh[:0]
	for u := range m.L.units() {
		if !m.Live(u) || m.row[u] == none {
			continue
		}
		v, shared := c.edit(m, u)
		if !c.acts(m, u) {
			for i, low := range c.low {
				if v[i] <= low {
					v[i] = 0
				}
			}
		}
		if m.Acting(u) {
			c.levelView(m, u, v)
		}
		if shared {
			c.edited(m, u)
		}
	}
}

// levelView is levelViews for a unit that is acting.
func (c *Canon) levelView(m *Memory, u Unit, v []uint32) {
	quiet := c.quiet(u)
	for a, x := range m.L.atomics {
		at, n := m.L.slot[a], m.start[a+1]-m.start[a]
		switch {
		case c.rests(m, a, x):
			v[at] = 1
		case c.uses(m, u, x):
		case quiet:
			v[at] = n
		default:
			v[at] = max(v[at], min(c.low[at], n))
		}
	}
}

// edit returns unit u's view, to be changed, or if it is shared a copy, of which edited must be told: those who have shared it and whose
// views change in the same way share one again, as far as not too many others come between them.
func (c *Canon) edit(m *Memory, u Unit) (v []uint32, shared bool) {
	if v = m.view(u); !m.shares(u) {
		return v, false
	}
	c.view = append(c.view[:0], v...)
	return c.view, true
}

// edited makes what a copy of unit u's view has been edited to its view.
func (c *Canon) edited(m *Memory, u Unit) {
	if slices.Equal(c.view, m.view(u)) {
		return
	}
	for _, r := range c.fresh[max(0, len(c.fresh)-4):] {
		if slices.Equal(c.view, m.vector(r)) {
			m.adopt(u, r)
			return
		}
	}
	c.fresh = append(c.fresh, m.fork(u, c.view))
}

// quiet reports whether it does not matter to others what unit u has seen.
func (c *Canon) quiet(u Unit) bool {
	return c.Units != nil && c.Keep&KeepViews == 0 && c.Closed && (c.Units[u] == nil || !c.Units[u].Tells)
}

// levelClocks lets a unit whose accesses cannot race, and which tells nobody
// what it has seen, know of all events.
func (c *Canon) levelClocks(m *Memory) {
	if m.L.Traits.SeqCst {
		return
	}
	c.fresh = c.fresh[:0]
	for u := range m.L.units() {
		if !m.Acting(u) || !c.quiet(u) {
			continue
		}
		v, shared := c.edit(m, u)
		for k := m.L.first; k < m.L.ncomps; k++ {
			if f := c.Units[u]; f == nil || !meet(f.Access, m.L.rough[k]) {
				if copy(m.L.clocks(v, k), m.count); k == compImage {
					m.committed[u] = m.count[u]
				}
			}
		}
		if shared {
			c.edited(m, u)
		}
	}
}

func meet(a, b []uint64) bool {
	for i, w := range a {
		if w&b[i] != 0 {
			return true
		}
	}
	return false
}

// cannotAcquire reports whether unit u acts, but executes no fence that could acquire what
// it has read.
func (c *Canon) cannotAcquire(m *Memory, u Unit) bool {
	if c.Units == nil || c.Keep&KeepViews != 0 || !m.Acting(u) {
		return false
	}
	return c.Units[u] == nil || !c.Units[u].Acquires
}

func filled(set []uint64) bool {
	for _, w := range set {
		if w != 0 {
			return true
		}
	}
	return false
}
