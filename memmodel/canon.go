package memmodel

import (
	"cmp"
	"slices"
)

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

	// By location: acting units may load it, read it in any way, store to it.
	peeked, read, stored []uint64

	busy  []int32  // the atomic locations that do not rest
	low   []uint32 // per vector entry: what every acting unit that may use it has seen
	known []uint32
	refs  [][]ref // by unit
	order []int
	snaps []uint32
	srcs  []source
	recs  []record
	list  []source
	graph scGraph // of permute: what it was

	// Of Rename: entry is, by vector entry, what it becomes.
	entry  []int32
	words  []uint32
	heads  []int32
	sets   []uint64
	values []int64
	msgs   []message
	events []scSet
}

// Normalise makes m canonical.
func (c *Canon) Normalise(m *Memory) {
	c.foresee(m)
	c.settle(m)
	c.blank(m)
	c.levelClocks(m)
	c.common(m)
	if len(m.sc.events) > 0 {
		c.contract(m)
	}
	if c.dropGuards(m) { // what was assumed of a location may be all that kept it from being settled
		c.settle(m)
		c.common(m)
	}
	if len(m.promises) > 1 {
		m.sortPromises()
	}
	dropped := c.dropMessages(m)
	c.dropRecords(m)
	c.sortEvents(m)
	for again := true; again; {
		if m.contracts() {
			m.reduceGraph()
		}
		if m.L.timed() {
			c.rank(m)
		} else {
			clear(m.count)
		}
		if dropped || m.L.timed() {
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
		m.anonymise()
		if c.attribute(m) {
			c.compact(m)
		}
		c.ground(m)
	}
}

// anonymise forgets who wrote a message, where no release sequence depends on it (rule
// 5.4). A read-modify-write continues any, whoever heads it, and what it publishes itself
// says so. A plain store continues those of its own unit only, whose heads are older.
// docs/exploration.md, "What is over".
func (m *Memory) anonymise() {
	for _, x := range m.L.atomics {
		list := m.list(int(x))
		for i := range list {
			switch q := &list[i]; {
			case q.writer < 0:
			case q.rmw:
				q.writer = nobody
			case !m.continues(int(x), i):
				q.writer, q.na = initial, true
			}
		}
	}
}

// continues reports whether plain store number i of x may be in a release sequence of its
// unit that an older message heads, or in one that a guard speaks of.
func (m *Memory) continues(x, i int) bool {
	list := m.list(x)
	owner := list[i].writer
	for k := range list[:i] {
		if m.releases(list[k].src, owner) {
			return true
		}
	}
	for k := range m.guards {
		if g := &m.guards[k]; int(g.loc) == x && g.owner == owner && int(g.head) < i && i <= int(g.last) {
			return true
		}
	}
	for k := range m.promises { // what its unit will yet do comes before it
		if p := &m.promises[k]; int(p.loc) == x && int(p.at) == i {
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

// common computes in low what has been seen by every acting unit that may
// use it: of a location's messages, those that may access the location, and of
// other units' events, all.
func (c *Canon) common(m *Memory) {
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
	for u := range m.L.Units {
		if !c.acts(m, u) {
			continue
		}
		v := m.view(u)
		for _, a := range c.busy {
			if c.uses(m, u, int(m.L.atomics[a])) {
				at := m.L.slot[a]
				c.low[at] = min(c.low[at], v[at])
			}
		}
		for k := m.L.first; k < m.L.ncomps; k++ {
			lo, hi := m.L.clock[k], m.L.bound[k+1]
			joinMin(c.low[lo:hi], v[lo:hi])
		}
	}
}

// rests reports whether atomic location x, number a, has one message, which
// everybody who uses it has seen: only who stores may have seen less.
func (c *Canon) rests(m *Memory, a int, x int32) bool {
	return c.Units != nil && m.start[a+1]-m.start[a] == 1 && m.L.Locs[x].Initialised && !hasBit(c.stored, int(x))
}

// everything is more than any index of a message or event.
const everything = 1<<31 - 1

// dropMessages drops the messages that no acting unit can read and that no
// release sequence still needs. It reports whether there were any.
func (c *Canon) dropMessages(m *Memory) (dropped bool) {
	if c.Keep&KeepMessages != 0 {
		return false
	}
	for _, a := range c.busy {
		a, x := int(a), m.L.atomics[a]
		for i := len(m.list(int(x))) - 2; i >= 0; i-- {
			if c.relays(m, int(x), i) {
				c.merge(m, a, int(x), i)
				dropped = true
			}
		}
		if n := c.unreadable(m, a, int(x)); n > 0 {
			if m.L.Traits.SeqCst {
				m.inherit(a, m.list(int(x))[:n])
			}
			m.forget(a, int(x), uint32(n))
			dropped = true
		}
	}
	return dropped
}

// relays reports whether nobody can do anything with message number i of x but
// take, from the read-modify-write that follows it, what it publishes: nobody
// who has not seen all of x will load it any more, or who does might as well load
// the one that follows, or wait for it.
func (c *Canon) relays(m *Memory, x, i int) bool {
	list := m.list(x)
	q, r := &list[i], &list[i+1]
	if !r.rmw || !q.rmw && (m.L.Traits.SeqCst || m.L.Traits.Promises) || hasBit(c.peeked, x) && !c.echoes(m, q, r) && !c.awaited(m, x, q.val) {
		return false
	}
	for i := range m.promises {
		if int(m.promises[i].loc) == x {
			return false
		}
	}
	return !m.L.Traits.SeqCst || m.covers(x, i)
}

// echoes reports whether message r, a read-modify-write of q, says what q does and no more.
func (c *Canon) echoes(m *Memory, q, r *message) bool {
	return r.val == q.val && r.src == none && !m.L.Traits.SeqCst && c.Keep&KeepOrders == 0
}

// awaited reports whether everybody who may still load x only waits for another value than v, and
// nobody can race with such a load: one that reads what is older learns less, and so races with more.
func (c *Canon) awaited(m *Memory, x int, v int64) bool {
	if c.Units == nil || m.L.Traits.SeqCst || c.Keep&KeepOrders != 0 || !m.Calm(x) || m.Guarded(x) {
		return false
	}
	for u, f := range c.Units {
		if f == nil || !c.acts(m, u) || !hasBit(f.Peek, x) {
			continue
		}
		if hasBit(f.Look, x) || !f.Awaits(x, v) {
			return false
		}
	}
	return true
}

// covers reports whether message number i of x constrains S in no other way
// than the read-modify-write behind it, which nothing can come between: whatever
// must precede the one in S must precede the other.
func (m *Memory) covers(x, i int) bool {
	list := m.list(x)
	q, r := &list[i], &list[i+1]
	if m.L.Traits.SCFences {
		return !q.sc && q.beforeWrites|q.beforeFences|q.beforeKnown == 0 && m.fenced(list, i)
	}
	for k := range list {
		if list[k].beforeKnown != 0 {
			return false
		}
	}
	a, b := m.scWriteEvent(q), m.scWriteEvent(r)
	if a == scNone || b == scNone {
		return a == scNone
	}
	from := i
	for from > 0 && list[from].rmw {
		from--
	}
	at := int(m.start[m.L.atom[x]])
	return m.followed(a, b, at+from, at+i+1)
}

// fenced reports whether seq_cst fences of its unit need not look for message number i of
// a list any more (rules 8.5 to 8.7): there are none, now or later, or they find another
// write of the unit among the read-modify-writes that follow one upon the other.
func (m *Memory) fenced(list []message, i int) bool {
	q := &list[i]
	after := m.fencesAfter(q)
	for k := i + 1; k < len(list) && list[k].rmw; k++ {
		if r := &list[k]; r.writer == q.writer {
			return m.fencesAfter(r) == after
		}
	}
	return after == 0 && (q.writer < 0 || !m.Live(int(q.writer)))
}

// peeked reports whether a unit that has not ended may load x.
func (m *Memory) peeked(x int) bool {
	for w, set := range m.L.Locs[x].Peekers {
		if set&m.alive[w] != 0 {
			return true
		}
	}
	return false
}

// merge removes message number i of x, which relays, and lets its successor
// publish what it published, and stand where it stood.
func (c *Canon) merge(m *Memory, a, x, i int) {
	at := int(m.start[a]) + i
	next := &m.msgs[at+1]
	q := &m.msgs[at]
	if !q.rmw {
		next.rmw, next.na, next.writer = false, q.na, q.writer
	}
	if c.Oldest && next.val == q.val && hasBit(c.peeked, x) {
		next.label = q.label
	}
	next.beforeWrites |= q.beforeWrites
	next.beforeFences |= q.beforeFences
	if e := m.scWriteEvent(q); e != scNone {
		defer c.dissolve(m, scBit(e))
	}
	for s := m.msgs[at].src; s != none; s = m.srcs[s].next {
		next.src = m.publishToo(next.src, m.srcs[s])
	}
	m.msgs = slices.Delete(m.msgs, at, at+1)
	for k := a + 1; k < len(m.start); k++ {
		m.start[k]--
	}
	slot, w := int(m.L.slot[a]), m.L.width
	for _, vectors := range [...][]uint32{m.vec, m.snaps, c.low} {
		for k := slot; k < len(vectors); k += w {
			if vectors[k] > uint32(i+1) && vectors[k] != everything {
				vectors[k]--
			}
		}
	}
	for k := range m.guards { // a read-modify-write is never what breaks a sequence
		if g := &m.guards[k]; int(g.loc) == x {
			g.head -= int32(bit(int(g.head) > i))
			g.last -= int32(bit(int(g.last) > i))
		}
	}
}

// publishToo adds a source to a message's list, or joins it to one of the same
// key: whoever may take the one may take the other.
func (m *Memory) publishToo(head int32, s source) int32 {
	for i := head; i != none; i = m.srcs[i].next {
		if m.srcs[i].key == s.key {
			m.srcs[i].snap = m.joined(m.srcs[i].snap, s.snap)
			return head
		}
	}
	return m.attach(head, s)
}

// releases reports whether a list has sources of the owner.
func (m *Memory) releases(head, owner int32) bool {
	for i := head; i != none; i = m.srcs[i].next {
		if m.srcs[i].key.unit == owner {
			return true
		}
	}
	return false
}

// unreadable returns how many of the oldest messages of x can be dropped.
func (c *Canon) unreadable(m *Memory, a, x int) int {
	list := m.list(x)
	lo := min(int(c.low[m.L.slot[a]]), len(list)) - 1
	if lo <= 0 {
		return 0
	}
	first := lo
	for s := carried(lo); s.at >= 0; s.next(list) {
		if s.segment == 0 && list[s.at].src != none || m.releases(list[s.at].src, s.owner) {
			first = s.at
		}
	}
	for _, g := range m.guards {
		if int(g.loc) == x {
			first = min(first, int(g.head))
		}
	}
	if m.L.Spec.SC == SCPartial || m.gappy() {
		for i := range list[:first] {
			if list[i].beforeKnown != 0 {
				first = i
				break
			}
		}
	}
	if m.L.Traits.SeqCst && !m.contracts() {
		for i := range list[:first] {
			if q := &list[i]; q.sc || q.beforeWrites|q.beforeFences|q.beforeKnown != 0 {
				return i // the end of the execution asks for it
			}
		}
	}
	return first
}

// forget removes the n oldest messages of x.
func (m *Memory) forget(a, x int, n uint32) {
	at := m.start[a]
	m.msgs = slices.Delete(m.msgs, int(at), int(at+n))
	for i := a + 1; i < len(m.start); i++ {
		m.start[i] -= n
	}
	slot, w := int(m.L.slot[a]), m.L.width
	for _, vectors := range [...][]uint32{m.vec, m.snaps} {
		for i := slot; i < len(vectors); i += w {
			vectors[i] -= min(vectors[i], n)
		}
	}
	for i := range m.guards {
		if g := &m.guards[i]; int(g.loc) == x {
			g.head -= int32(n)
			g.last -= int32(n)
		}
	}
	m.forgetPromised(x, int(n))
}

// dropGuards drops the assumptions that have come true for good. It reports whether
// there were any.
func (c *Canon) dropGuards(m *Memory) bool {
	n := len(m.guards)
	if n == 0 {
		return false
	}
	m.trimGuards()
	m.guards = slices.DeleteFunc(m.guards, func(g guard) bool {
		if g.broken {
			return !m.unmet(&g)
		}
		seen := c.low[m.L.slot[m.L.atom[g.loc]]]
		return g.head == g.last || seen > uint32(g.last) || !m.mayBreak(int(g.loc), g.owner)
	})
	c.sortGuards(m)
	m.guards = slices.Compact(m.guards)
	return len(m.guards) < n
}

// trimGuards shortens what is assumed of release sequences by read-modify-writes at
// the end, which no store can separate from what they read.
func (m *Memory) trimGuards() {
	for i := range m.guards {
		g := &m.guards[i]
		for list := m.list(int(g.loc)); g.last > g.head && list[g.last].rmw; {
			g.last--
		}
	}
}

// dropRecords drops the accesses that happen before whatever another unit
// will do, and puts the others in order.
func (c *Canon) dropRecords(m *Memory) {
	if len(m.recs) == 0 {
		return
	}
	c.recs = c.recs[:0]
	for x := range m.L.Locs {
		if m.recHead[x] == none {
			continue
		}
		if m.L.calm[x] { // so that its component may have no clocks to compare with
			panic("memmodel: an access is on record that cannot race")
		}
		from := len(c.recs)
		k := m.L.clock[m.L.comp[x]]
		for i := m.recHead[x]; i != none; i = m.recs[i].next {
			if r := m.recs[i]; c.matters(m, &r, x, k) {
				c.recs = append(c.recs, r)
			}
		}
		m.recHead[x] = none
		kept := c.recs[from:]
		if len(kept) == 0 {
			continue
		}
		slices.SortFunc(kept, func(a, b record) int {
			return cmp.Or(cmp.Compare(a.unit, b.unit), boolCompare(a.write, b.write), boolCompare(a.na, b.na), cmp.Compare(a.scope, b.scope))
		})
		for i := range kept {
			kept[i].next = int32(from + i + 1)
		}
		kept[len(kept)-1].next = none
		m.recHead[x] = int32(from)
	}
	m.recs, c.recs = c.recs, m.recs
}

// matters reports whether an acting unit has not yet seen the access, to
// location x, and may conflict with it; its own, of an image, a unit sees by a
// fence only.
func (c *Canon) matters(m *Memory, r *record, x int, k int32) bool {
	if c.low[k+int32(r.unit)] >= r.event {
		return false
	}
	for u := range m.L.Units {
		if (u != int(r.unit) || m.L.images && k == m.L.clock[compImage]) && c.acts(m, u) && m.view(u)[int(k)+int(r.unit)] < r.event && c.conflicts(u, r, x) {
			return true
		}
	}
	return false
}

// conflicts reports whether unit u may still conflict with an access to x.
func (c *Canon) conflicts(u int, r *record, x int) bool {
	switch {
	case c.Units == nil || c.Keep&KeepRecords != 0:
		return true
	case c.Units[u] == nil:
		return false
	case r.write:
		return hasBit(c.Units[u].Access, x)
	}
	return hasBit(c.Units[u].Store, x) || hasBit(c.Units[u].Modify, x)
}

// rank renumbers each unit's events by their rank among those that something
// still refers to. A clock keeps the newest event that it can be compared with.
func (c *Canon) rank(m *Memory) {
	n := len(m.L.Units)
	if len(m.recs) == 0 && !m.L.Traits.SeqCst { // nobody asks what happens before what
		clear(m.count)
		for _, vectors := range [...][]uint32{m.vec, m.snaps} {
			for at := 0; at < len(vectors); at += m.L.width {
				for k := m.L.first; k < m.L.ncomps; k++ {
					clear(m.L.clocks(vectors[at:], k))
				}
			}
		}
		return
	}
	for len(c.refs) < n {
		c.refs = append(c.refs, nil)
	}
	for u := range n {
		c.refs[u] = c.refs[u][:0]
	}
	m.eachEvent(func(u int32, e *uint32, comps compSet) {
		c.refs[u] = append(c.refs[u], ref{*e, comps})
	})
	for u := range n {
		c.refs[u] = mergeRefs(c.refs[u])
		m.count[u] = uint32(len(c.refs[u]))
	}
	m.eachEvent(func(u int32, e *uint32, _ compSet) {
		*e = rankOf(c.refs[u], *e)
	})
	for _, vectors := range [...][]uint32{m.vec, m.snaps} {
		for at := 0; at < len(vectors); at += m.L.width {
			for k := m.L.first; k < m.L.ncomps; k++ {
				c.rankClock(m.L.clocks(vectors[at:], k), 1<<k)
			}
		}
	}
	for e := range m.sc.events {
		c.rankClock(m.sc.clocks[e*n:(e+1)*n], allComps)
	}
}

// ref is an event that something refers to, and the components in which
// clocks are compared with it.
type ref struct {
	event uint32
	comps compSet
}

// mergeRefs sorts references and merges those to one event.
func mergeRefs(refs []ref) []ref {
	if len(refs) < 2 {
		return refs
	}
	slices.SortFunc(refs, func(a, b ref) int { return cmp.Compare(a.event, b.event) })
	kept := refs[:1]
	for _, r := range refs[1:] {
		if last := &kept[len(kept)-1]; last.event == r.event {
			last.comps |= r.comps
		} else {
			kept = append(kept, r)
		}
	}
	return kept
}

// rankOf returns the number of a referenced event.
func rankOf(refs []ref, event uint32) uint32 {
	i, _ := slices.BinarySearchFunc(refs, event, func(r ref, e uint32) int { return cmp.Compare(r.event, e) })
	return uint32(i + 1)
}

// rankClock renumbers a clock that is compared in the given components.
func (c *Canon) rankClock(clock []uint32, comps compSet) {
	for u, v := range clock {
		if v == 0 {
			continue
		}
		refs := c.refs[u]
		i := len(refs)
		for i > 0 && (refs[i-1].event > v || refs[i-1].comps&comps == 0) {
			i--
		}
		clock[u] = uint32(i)
	}
}

// eachEvent calls f with every event number that the state refers to, its
// unit, and the components in which clocks are compared with it.
func (m *Memory) eachEvent(f func(u int32, e *uint32, comps compSet)) {
	for x, head := range m.recHead {
		for i := head; i != none; i = m.recs[i].next {
			f(int32(m.recs[i].unit), &m.recs[i].event, 1<<m.L.comp[x])
		}
	}
	if !m.L.Traits.SeqCst {
		return
	}
	known := m.L.Spec.SC == SCPartial || m.L.Traits.Gaps
	for a, x := range m.L.atomics {
		var comps compSet
		if known {
			comps = 1 << m.L.comp[x]
		}
		for i := m.start[a]; i < m.start[a+1]; i++ {
			if q := &m.msgs[i]; q.writer != initial && q.event != ahead {
				f(q.writer, &q.event, comps)
			}
		}
	}
	for i := range m.sc.events {
		f(m.sc.events[i].unit, &m.sc.events[i].event, 0)
	}
	n := len(m.L.Units)
	for i := range m.sc.reach {
		if m.sc.reach[i] != never {
			f(int32(i%n), &m.sc.reach[i], 1<<(i/n%m.L.ncomps))
		}
	}
}

// compact rewrites the pools so that they hold what is reachable, in
// canonical order, and published vectors only what some reader can lack.
func (c *Canon) compact(m *Memory) {
	c.levelViews(m)
	c.snaps, c.srcs = c.snaps[:0], c.srcs[:0]
	for a := range m.L.atomics {
		c.compactMessages(m, a)
	}
	m.srcs, c.srcs = c.srcs, m.srcs[:0]
	for u := range m.L.Units {
		if m.Live(u) {
			if c.silent(m, u) {
				m.relfHead[u] = none
			}
			m.relfHead[u] = c.keep(m, m.relf, m.relfHead[u], c.low)
		}
	}
	m.relf, c.srcs = c.srcs, m.relf[:0]
	for u := range m.L.Units {
		switch {
		case !m.Live(u):
			clear(m.view(u))
		case m.pendHead[u] == none:
		case c.deaf(m, u):
			m.pendHead[u] = none
		default:
			m.pendHead[u] = c.keep(m, m.pend, m.pendHead[u], c.knownTo(m, u))
		}
	}
	m.pend, c.srcs = c.srcs, m.pend[:0]
	m.snaps, c.snaps = c.snaps, m.snaps
}

// compactMessages is compact for the messages of one location. Who takes a release from
// one of them has seen that message, and so as much of the location as the release did.
func (c *Canon) compactMessages(m *Memory, a int) {
	own := &c.low[m.L.slot[a]]
	low := *own
	if !m.L.Traits.SeqCst {
		*own = everything
	}
	for i := m.start[a]; i < m.start[a+1]; i++ {
		q := &m.msgs[i]
		if !m.L.Traits.SeqCst {
			q.event = 0
		}
		q.src = c.keep(m, m.srcs, q.src, c.low)
	}
	*own = low
}

// knownTo returns what nothing need tell unit u any more: what it has seen, and
// what all have seen who may use it.
func (c *Canon) knownTo(m *Memory, u int) []uint32 {
	c.known = append(c.known[:0], m.view(u)...)
	for i, v := range c.low {
		c.known[i] = max(c.known[i], v)
	}
	return c.known
}

// keep copies a list of sources into c.srcs, sorted, without those that tell
// nothing beyond `known`, and returns the copy's head.
func (c *Canon) keep(m *Memory, pool []source, head int32, known []uint32) int32 {
	if head == none {
		return none
	}
	c.list = c.list[:0]
	for i := head; i != none; i = pool[i].next {
		c.list = append(c.list, pool[i])
	}
	if len(c.list) > 1 {
		slices.SortFunc(c.list, compareSources)
	}
	first, last := int32(none), int32(none)
	for _, s := range c.list {
		news := known
		if s.key.sc && !m.L.Spec.SCBoth {
			news = c.low // what a unit has seen its fences need not pass on (rule 6.8)
		}
		if s.snap = c.reduce(m, s.snap, news); s.snap == none {
			continue
		}
		s.event, s.next = 0, none
		at := int32(len(c.srcs))
		if first == none {
			first = at
		} else {
			c.srcs[last].next = at
		}
		last = at
		c.srcs = append(c.srcs, s)
	}
	return first
}

func compareSources(a, b source) int {
	return cmp.Or(cmp.Compare(a.key.unit, b.key.unit), cmp.Compare(a.loc, b.loc), boolCompare(a.key.fence, b.key.fence),
		cmp.Compare(a.key.scope, b.key.scope), cmp.Compare(a.key.flags, b.key.flags), boolCompare(a.key.sc, b.key.sc))
}

// reduce copies a published vector into c.snaps, without what is known
// already, and returns its index there, or none if nothing is left. Equal
// vectors are kept once.
func (c *Canon) reduce(m *Memory, snap int32, known []uint32) int32 {
	w := m.L.width
	at := len(c.snaps)
	left := false
	told := w
	if m.L.images { // of which releases tell nobody (rule 6.10)
		told = int(m.L.bound[compImage])
	}
	for i, v := range m.snap(snap) {
		if v <= known[i] || i >= told {
			v = 0
		}
		left = left || v != 0
		c.snaps = append(c.snaps, v)
	}
	if !left {
		c.snaps = c.snaps[:at]
		return none
	}
	for old := 0; old < at; old += w {
		if slices.Equal(c.snaps[old:old+w], c.snaps[at:]) {
			c.snaps = c.snaps[:at]
			return int32(old / w)
		}
	}
	return int32(at / w)
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
