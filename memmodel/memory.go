package memmodel

// Memory is the shared memory of one state, with what each unit of execution
// has seen of it. It is flat: a few slices without pointers, copied by
// CopyFrom without allocation once the destination has grown.
//
// Units and locations are named by their index in the Layout. Messages of a
// location are named by their distance from the newest (0), because only old
// messages are ever dropped.
//
// Whoever adds a field thinks of it in Reset and CopyFrom; Append and Decode; Relayout,
// Canon.Rename and Signatures.Refine, where units or locations get other numbers;
// AppendAlone, which says what a unit can do alone; Dominates; and Canon.Normalise.
// TestFieldsOfMemory sees that none is forgotten.
type Memory struct {
	L *Layout // what the numbers of units, locations and vector entries mean

	// What has a fixed size in a layout lies together, by its type, so that there
	// is less to copy; see carve.
	words []uint32 // count, committed, start
	heads []int32  // row, relfHead, pendHead, recHead
	sets  []uint64 // alive, parked, written

	rows  []uint32 // view vectors, see view
	users []int32  // by row: how many units it is the view of; of a row that is free, none
	row   []int32  // by unit: the row that is its view, or none if it has seen nothing
	count []uint32 // events that each unit has performed
	// Of programs with images, by unit: the last of its own accesses of an image that a fence has come after (see commit).
	committed []uint32
	alive     []uint64 // bit set of the units that have not ended
	// Bit set of units that wait and, when they go on, will have seen all that
	// every acting unit has seen now: they hold nothing back from being dropped.
	parked []uint64

	msgs  []message // of all atomic locations, each one's in modification order
	start []uint32  // msgs[start[a]:start[a+1]] are those of atomic location a

	values  []int64  // of the plain locations, by location
	written []uint64 // bit set of the plain locations that have a value

	srcs  []messageView // linked lists of release sources, headed in messages
	relf  []messageView // linked lists of release fences executed, headed in relfHead
	pend  []messageView // linked lists of what an acquire fence may acquire, headed in pendHead
	snaps []uint32      // view vectors that sources name

	relfHead []int32 // by unit
	pendHead []int32 // by unit

	recs    []record // linked lists of last accesses, headed in recHead
	recHead []int32  // by location

	guards   []guard   // what readers have assumed of release sequences
	promises []promise // what units owe
	sc       scGraph   // what is left to be known of the order S

	// Of the seq_cst operation being performed, a vector or empty: what it comes after
	// in components that it is no action of (rule 6.8). It is not part of the state.
	through []uint32

	// Of amend, by row, and first for none: 1 + what has become of it, or 0. It is not part of the state.
	became []int32

	// The label of messages that are inserted, 0 for Fresh (Call). It is not part of the state.
	called int8
	// Fault is what the last operation found wrong. It is not part of the state.
	Fault Fault
	// Forgives: of the accesses to come data races are known, and set aside. It is not part of the state.
	Forgives bool
	// Observer, if set, is told of each synchronisation, for traces.
	Observer Observer
}

// Observer learns what the state does not keep.
type Observer interface {
	// Synchronises: event e of unit u (counting from 1) synchronises with the
	// event that unit t is performing, in global or local memory or both.
	Synchronises(u Unit, e uint32, t Unit, global, local bool)
}

// none ends a linked list.
const none = -1

// initial is the writer of initial values, nobody that of messages whose writer
// does not matter any more.
const (
	initial = -1
	nobody  = -2
)

type message struct {
	val    int64  // the value written
	writer int32  // the unit that wrote it, or initial or nobody
	event  uint32 // of the writer
	src    int32  // release sources, in Memory.srcs
	na     bool   // non-atomic
	rmw    bool   // reads its predecessor: nothing may come between them
	sc     bool   // of a seq_cst write
	label  int8   // see Label
	// SC events that must precede, in S, respectively: every later seq_cst write
	// of the location; every seq_cst fence that follows a later write; every
	// later seq_cst write that this message happens before.
	beforeWrites, beforeFences, beforeKnown scSet
}

// key says by what a release or acquire was made.
type key struct {
	unit  int32 // who released
	scope Scope // the scope of the release
	flags Flags // of a fence
	fence bool  // made by one, and not by an access
	sc    bool  // of order seq_cst
}

// messageView is a release operation or fence, with what it publishes: an element
// of a message's, a unit's or a later acquire's list.
type messageView struct {
	key   key    // which releases it stands for
	loc   Loc    // in pend: through which location it was read
	event uint32 // of the releasing unit
	snap  int32  // index into snaps, in vectors
	next  int32  // the next source of the list, or none
	given bool   // to its unit by attribute, which might be another one. It is not part of the state.
}

// Reset makes m the memory of a program that has done nothing yet.
func (m *Memory) Reset(l *Layout) {
	n, locs := len(l.Units), len(l.Locs)
	*m = Memory{
		L:        l,
		words:    resize(m.words, n+l.fencers()+len(l.atomics)+1),
		heads:    resize(m.heads, 3*n+locs),
		sets:     resize(m.sets, 2*wordsOf(n)+wordsOf(locs)),
		rows:     m.rows,
		users:    m.users,
		msgs:     m.msgs[:0],
		values:   resize(m.values, locs),
		srcs:     m.srcs[:0],
		relf:     m.relf[:0],
		pend:     m.pend[:0],
		snaps:    m.snaps[:0],
		recs:     m.recs[:0],
		guards:   m.guards[:0],
		promises: m.promises[:0],
		sc:       m.sc,
		through:  m.through[:0],
		became:   m.became[:0],
		Observer: m.Observer,
	}
	m.carve()
	m.begin()
	for u := range l.Units {
		m.relfHead[u], m.pendHead[u] = none, none
		m.alive[u>>6] |= 1 << (u & 63)
	}
	for x := range l.locs() {
		m.recHead[x] = none
		m.initialise(x, &l.Locs[x])
	}
	m.sc.reset(l)
}

func (m *Memory) initialise(x Loc, loc *Location) {
	a := m.L.atom[x]
	if a < 0 {
		if loc.Initialised {
			m.values[x] = loc.Init
			m.written[x>>6] |= 1 << (x & 63)
		}
		return
	}
	if loc.Initialised {
		m.msgs = append(m.msgs, message{val: loc.Init, writer: initial, na: true, src: none})
		m.setAll(a, 1)
	}
	m.start[a+1] = uint32(len(m.msgs))
}

// carve divides what lies together.
func (m *Memory) carve() {
	n := len(m.L.Units)
	cut(m.words, &m.count, n, &m.committed, m.L.fencers(), &m.start)
	m.row = m.heads[:n:n]
	cut(m.heads[n:], &m.relfHead, n, &m.pendHead, n, &m.recHead)
	cut(m.sets, &m.alive, wordsOf(n), &m.parked, wordsOf(n), &m.written)
}

// cut divides a slice into three, of which the third takes what is left.
func cut[T any](all []T, a *[]T, na int, b *[]T, nb int, c *[]T) {
	*a, *b, *c = all[:na:na], all[na:na+nb:na+nb], all[na+nb:]
}

// wordsOf returns the length of a bit set with n places.
func wordsOf(n int) int { return (n + 63) / 64 }

// CopyFrom makes m equal to o.
func (m *Memory) CopyFrom(o *Memory) {
	m.words = append(m.words[:0], o.words...)
	m.rows = append(m.rows[:0], o.rows...)
	m.users = append(m.users[:0], o.users...)
	m.heads = append(m.heads[:0], o.heads...)
	m.sets = append(m.sets[:0], o.sets...)
	if m.L != o.L {
		m.L = o.L
		m.carve()
		m.sc.reset(m.L)
	}
	m.msgs = append(m.msgs[:0], o.msgs...)
	m.values = append(m.values[:0], o.values...)
	m.srcs = append(m.srcs[:0], o.srcs...)
	m.relf = append(m.relf[:0], o.relf...)
	m.pend = append(m.pend[:0], o.pend...)
	m.snaps = append(m.snaps[:0], o.snaps...)
	m.recs = append(m.recs[:0], o.recs...)
	m.guards = append(m.guards[:0], o.guards...)
	m.promises = append(m.promises[:0], o.promises...)
	if m.L.Traits.SeqCst {
		m.sc.copyFrom(&o.sc)
	}
	m.Fault, m.Forgives = Fault{}, false
}

// Size returns the number of bytes that view vectors take, by far the most of a memory that many units share.
func (m *Memory) Size() int { return 4 * (len(m.words) + len(m.rows) + len(m.snaps)) }

// snap returns the vector that a source published.
func (m *Memory) snap(i int32) []uint32 {
	w := m.L.width
	return m.snaps[int(i)*w : (int(i)+1)*w]
}

// tick begins a new event of unit u, which comes after those before it (rule 5.1).
func (m *Memory) tick(u Unit) {
	m.count[u]++
	m.through = m.through[:0]
	if m.L.Traits.SeqCst {
		m.whole(m.change(u), u)
	}
}

// commit makes what unit u has done to images so far happen before what it does
// to them next. Of other memory that goes without saying, but an image needs a
// fence even within one work-item (rule 6.10).
func (m *Memory) commit(u Unit) { m.orderImages(u, u) }

// orderImages makes what unit t has done to images so far happen before what unit u
// does to them next.
func (m *Memory) orderImages(u, t Unit) {
	switch {
	case !m.L.images:
	case u == t:
		m.committed[u] = m.count[u]
		if m.L.Traits.SeqCst {
			m.whole(m.change(u), u)
		}
	default:
		m.change(u)[m.L.clock[compImage]+int32(t)] = m.count[t]
	}
}

// Live reports whether unit u may still act.
func (m *Memory) Live(u Unit) bool { return m.alive[u>>6]&(1<<(u&63)) != 0 }

// Park says that unit u waits for units that are acting, and will have seen
// all that they have seen when it goes on. Unpark says that it has gone on.
func (m *Memory) Park(u Unit)   { m.parked[u>>6] |= 1 << (u & 63) }
func (m *Memory) Unpark(u Unit) { m.parked[u>>6] &^= 1 << (u & 63) }

// Acting reports whether unit u has neither ended nor been parked.
func (m *Memory) Acting(u Unit) bool {
	return (m.alive[u>>6]&^m.parked[u>>6])&(1<<(u&63)) != 0
}

// list returns the messages of location x in modification order (rule 5.3).
func (m *Memory) list(x Loc) []message {
	a := m.L.atom[x]
	return m.msgs[m.start[a]:m.start[a+1]]
}

// Messages returns how many messages atomic location x has.
func (m *Memory) Messages(x Loc) int { return len(m.list(x)) }

// Longest returns the number of messages of the location that has the most.
func (m *Memory) Longest() int {
	n := uint32(0)
	for a := range m.L.atomics {
		n = max(n, m.start[a+1]-m.start[a])
	}
	return int(n)
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
