package memmodel

// Canon brings memories into canonical form: what no future operation can
// depend on is dropped, and what remains is named by its place among what
// remains. Two memories with the same canonical form allow the same futures.
// Beside the Horizon of the state at hand, a Canon holds scratch space only;
// one serves one goroutine.
type Canon struct {
	Horizon

	// Oldest: a message that stands for several which might be loaded has the label of the oldest,
	// which is all that is certain of who reads it; if not, that of the newest, which all may read.
	Oldest bool
	// First: every message that stands for several has the label of the oldest, whether or not they might be loaded.
	First bool

	// By location: acting units may load it, read it in any way, store to it, do so again and again.
	peeked, read, stored, again []uint64

	busy   []int32       // the atomic locations that do not rest
	newest []uint32      // by work-group: see seenByGroups
	noted  []int32       // see Memory.noted
	low    []uint32      // per vector entry: what every acting unit that may use it has seen
	known  []uint32      // what a unit, or whoever acquires from it, is sure to have seen, for a comparison
	view   []uint32      // a unit's view, while it is edited that others share
	fresh  []int32       // the rows that have come of such edits
	looked []bool        // by row, and first for none: whether it has been looked at
	refs   [][]ref       // by unit
	order  []int         // events of the graph of S, in their new order
	snaps  []uint32      // snapshots that are kept
	srcs   []messageView // sources that are kept
	recs   []record      // records that are kept
	list   []messageView // sources of one message
	graph  scGraph       // of permute: what it was
	dead   gathering     // of gather: whose accesses become whose

	abstinence []abstinence // of repeats, by unit

	// Of Rename: which entries of vectors have another place, and
	moves  []move
	words  []uint32  // what else is renamed: words of one entry a unit,
	heads  []int32   // heads of lists,
	sets   []uint64  // sets of units,
	values []int64   // values,
	msgs   []message // messages,
	events []scSet   // and sets of events
}

// Normalise makes m canonical.
func (c *Canon) Normalise(m *Memory) {
	c.foresee(m)
	c.noted = m.noted(c.noted)
	c.keepLast(m)
	c.blank(m)
	c.levelClocks(m)
	c.common(m)
	if len(m.sc.events) > 0 {
		c.contract(m)
	}
	if c.dropGuards(m) { // what was assumed of a location may be all that kept its older messages
		c.keepLast(m)
		c.common(m)
	}
	if len(m.promises) > 1 {
		m.sortPromises()
	}
	c.dropRecords(m)
	dropped := c.dropMessages(m)
	c.sortEvents(m)
	for again := true; again; {
		if m.contracts() {
			m.reduceGraph()
		}
		if m.L.Timed() {
			c.rank(m)
			c.noted = m.noted(c.noted)
		} else {
			clear(m.count)
			clear(m.committed)
		}
		if dropped || m.L.Timed() {
			c.common(m)
		}
		c.compact(m)
		// Releases that tell nothing any more may have kept old messages, and these
		// seq_cst events.
		dropped = c.dropMessages(m)
		again = dropped
		if n := len(m.sc.events); n > 0 {
			if dropped {
				c.common(m)
			}
			if c.contract(m); len(m.sc.events) < n {
				c.sortEvents(m)
				again = true
			}
		}
	}
	if !m.L.Traits.SeqCst {
		c.nameWriters(m)
		for c.dropMessages(m) {
			c.common(m)
			c.compact(m)
			c.nameWriters(m)
		}
		c.ground(m)
		c.gather(m)
	}
}

// nameWriters forgets who has written and released what nobody can tell apart.
func (c *Canon) nameWriters(m *Memory) {
	m.anonymise()
	if c.attribute(m) {
		c.compact(m)
	}
}

// common computes in low what has been seen by every acting unit that may
// use it: of a location's messages, those that may access the location, and of
// other units' events, all. Of events that nobody knows of it says anything.
func (c *Canon) common(m *Memory) {
	c.looked = resize(c.looked, len(m.users)+1)
	c.low = resize(c.low, m.L.width)
	for i := range c.low {
		c.low[i] = everything
	}
	c.busy = c.busy[:0]
	for a, x := range m.L.atomics {
		if c.rests(m, a, x) {
			c.low[m.L.slot[a]] = 1
		} else {
			c.busy = append(c.busy, int32(a))
		}
	}
	for u := range m.L.units() {
		if !c.acts(m, u) {
			continue
		}
		v := m.view(u)
		for _, a := range c.busy {
			if c.uses(m, u, m.L.atomics[a]) {
				at := m.L.slot[a]
				c.low[at] = min(c.low[at], v[at])
			}
		}
		c.lower(m, u, v)
	}
}

// lower is common for the clocks in unit u's view v. What that says of the unit itself, too little, does no harm: of each event on
// record there is somebody else who does not know it. But of images the unit may be the only one, and know less than it says.
func (c *Canon) lower(m *Memory, u Unit, v []uint32) {
	looked := &c.looked[m.row[u]+1]
	if *looked && !m.L.images {
		return
	}
	*looked = true
	own := int32(-1)
	if m.L.images {
		own = m.L.clock[compImage] + int32(u)
		c.low[own] = min(c.low[own], m.committed[u])
	}
	for _, at := range c.noted {
		if at != own {
			c.low[at] = min(c.low[at], v[at])
		}
	}
}

// noted returns the entries of a vector that tell of the units that have performed events which somebody may know of:
// the clocks of the others are zero. It uses the space of the list that it is given.
func (m *Memory) noted(entries []int32) []int32 {
	entries = entries[:0]
	for k := m.L.first; k < m.L.ncomps; k++ {
		if !m.L.timed(k) {
			continue
		}
		for u, n := range m.count {
			if n > 0 {
				entries = append(entries, m.L.clock[k]+int32(u))
			}
		}
	}
	return entries
}

// rests reports whether atomic location x, number a, has one message, which
// everybody who uses it has seen: only who stores may have seen less.
func (c *Canon) rests(m *Memory, a int, x Loc) bool {
	return c.Units != nil && m.start[a+1]-m.start[a] == 1 && m.L.Locs[x].Initialised && !hasBit(c.stored, x)
}

// everything is more than any index of a message or event.
const everything = 1<<31 - 1

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
