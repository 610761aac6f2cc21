package memmodel

// Readable returns how many of the newest messages of atomic location x unit u
// may read: those not older than its view (rules 7.2, 7.4, 7.6).
func (m *Memory) Readable(u Unit, x Loc) Msg {
	n := len(m.list(x))
	lo := int(m.seen(u, x))
	return Msg(n - max(lo-1, 0))
}

// Blank reports whether unit u may read atomic location x as if nothing had
// written it: no write happens before the read (rules 1.4, 7.1).
func (m *Memory) Blank(u Unit, x Loc) bool { return m.seen(u, x) == 0 }

// Writable returns how many places, counted from the newest end of the
// modification order, unit u may insert a store at: those newer than its view
// (rules 7.3, 7.5). Insertable must hold as well.
func (m *Memory) Writable(u Unit, x Loc) Msg {
	return Msg(len(m.list(x)) - int(m.seen(u, x)) + 1)
}

// Value returns the value of a message of atomic location x.
func (m *Memory) Value(x Loc, back Msg) int64 {
	list := m.list(x)
	return list[len(list)-1-int(back)].val
}

// Insertable reports whether unit u may insert a store behind (older than) the
// newest `back` messages of x: not between a read-modify-write and what it
// read (rule 7.7), nor into a release sequence that a reader relies on.
func (m *Memory) Insertable(u Unit, x Loc, back Msg) bool {
	list := m.list(x)
	p := len(list) - int(back)
	if back > 0 && list[p].rmw {
		return false
	}
	return len(m.guards) == 0 || !m.guarded(u, x, p)
}

// Modifiable reports whether a read-modify-write may read the message: no
// other one may have done so.
func (m *Memory) Modifiable(x Loc, back Msg) bool {
	list := m.list(x)
	return back == 0 || !list[len(list)-int(back)].rmw
}

// Load performs a load of unit u. On an atomic location, the message `back`
// before the newest is read; broken, below Cuts, is the guess of how many of
// the release sequences it belongs to will turn out broken. The result is
// false when the execution is inconsistent and must be abandoned. A plain load
// finds the newest write that happens before it (rule 7.1); if there is none, it
// is an error (rule 1.4).
func (m *Memory) Load(u Unit, x Loc, back Msg, broken int, o Order, s Scope) (int64, bool) {
	if o != NonAtomic {
		return m.loadAtomic(u, x, len(m.list(x))-1-int(back), broken, o, s)
	}
	m.tick(u)
	if m.L.atom[x] < 0 {
		m.access(u, x, false, true, s)
		if m.written[x>>6]&(1<<(x&63)) == 0 {
			m.fault(Fault{Kind: Uninitialised, Loc: x, Unit: u})
		}
		return m.values[x], true
	}
	m.access(u, x, false, true, s)
	at := int(m.seen(u, x)) - 1
	if at < 0 {
		m.fault(Fault{Kind: Uninitialised, Loc: x, Unit: u})
		return 0, true
	}
	return m.list(x)[at].val, true
}

func (m *Memory) loadAtomic(u Unit, x Loc, at, broken int, o Order, s Scope) (int64, bool) {
	r := m.extent(u, x, at, broken)
	m.tick(u)
	m.read(u, x, at, r, o, s)
	m.access(u, x, false, false, s)
	val := m.list(x)[at].val
	if !m.L.Traits.SeqCst {
		return val, true
	}
	ev := scNone
	if o == SeqCst {
		var ok bool
		if ev, ok = m.scEvent(u, m.scComps(regionComps(m.L.Locs[x].Region)), s, false); !ok {
			return 0, false
		}
	}
	return val, m.scRead(u, x, at, ev)
}

// Store performs a store of unit u. On an atomic location the new message
// goes behind the newest `back` ones of the one modification order (rule 5.3).
func (m *Memory) Store(u Unit, x Loc, back Msg, val int64, o Order, s Scope) bool {
	m.tick(u)
	if m.L.atom[x] < 0 {
		m.access(u, x, true, true, s)
		m.values[x] = val
		m.written[x>>6] |= 1 << (x & 63)
		return true
	}
	p := len(m.list(x)) - int(back)
	m.access(u, x, true, o == NonAtomic, s)
	m.insert(u, x, p, message{val: val, na: o == NonAtomic}, o, s)
	return o == NonAtomic || m.orderWrite(u, x, p, -1, o, s)
}

// Touch is an event of unit u that counts as an access of location x, but takes
// no value and leaves none.
func (m *Memory) Touch(u Unit, x Loc, write bool) {
	m.tick(u)
	m.access(u, x, write, true, 0)
}

// Restore makes unit u store, as the newest value of atomic location x, the one
// that it has seen last. It is no access: what it undoes is lost (rule 2.7).
func (m *Memory) Restore(u Unit, x Loc) {
	at := int(m.seen(u, x)) - 1
	m.tick(u)
	m.insert(u, x, len(m.list(x)), message{val: m.list(x)[at].val, na: true}, NonAtomic, 0)
}

// Modify performs a read-modify-write of unit u that reads the message `back`
// before the newest and writes val right after it (rule 7.7).
func (m *Memory) Modify(u Unit, x Loc, back Msg, broken int, val int64, o Order, s Scope) bool {
	at := len(m.list(x)) - 1 - int(back)
	r := m.extent(u, x, at, broken)
	m.tick(u)
	m.read(u, x, at, r, o, s)
	m.access(u, x, true, false, s)
	m.insert(u, x, at+1, message{val: val, rmw: true}, o, s)
	return m.orderWrite(u, x, at+1, at, o, s)
}

// read updates unit u's view for an atomic read of message number at of x (rules 7.4, 7.5)
// and takes what the release sequences of that message publish: at once if it
// acquires (rules 6.1, 6.4), else when a fence acquires it (rule 6.5). A store of another
// unit ends a release sequence: of older segments, only the releases of the owner count (rule 5.4).
func (m *Memory) read(u Unit, x Loc, at int, r extent, o Order, s Scope) {
	m.see(u, x, max(m.seen(u, x), uint32(at+1)))
	me := key{unit: int32(u), scope: s, sc: o == SeqCst}
	list := m.list(x)
	for c := m.carried(at); c.at >= 0 && (c.segment == 0 || c.segment <= r.intact); c.next(list) {
		for i := list[c.at].src; i != none; i = m.srcs[i].next {
			src := m.srcs[i]
			if c.segment > 0 && src.key.unit != c.owner {
				continue
			}
			if o.Acquires() {
				m.synchronise(src, me, x)
			}
			if Unit(src.key.unit) != u {
				m.postpone(u, x, src)
			}
		}
	}
	m.assume(x, at, r)
}

// insert puts a new message of unit u at index p of x's modification order. The unit
// reads nothing older from then on (rule 7.6). An atomic message also publishes what
// the unit's release fences have released (rule 6.4).
func (m *Memory) insert(u Unit, x Loc, p int, msg message, o Order, s Scope) {
	a := m.L.atom[x]
	at := int(m.start[a]) + p
	m.msgs = append(m.msgs, message{})
	copy(m.msgs[at+1:], m.msgs[at:])
	for i := a + 1; int(i) < len(m.start); i++ {
		m.start[i]++
	}
	m.shift(x, p)
	msg.writer, msg.event, msg.src, msg.sc, msg.label = int32(u), m.count[u], none, o == SeqCst, m.newLabel()
	m.see(u, x, uint32(p+1))
	if o != NonAtomic {
		for i := m.relfHead[u]; i != none; i = m.relf[i].next {
			msg.src = m.attach(msg.src, m.relf[i])
		}
		if o.Releases() {
			own := key{unit: int32(u), scope: s, sc: o == SeqCst}
			msg.src = m.attach(msg.src, messageView{key: own, event: m.count[u], snap: m.publishAs(u, own, x)})
		}
	}
	m.msgs[at] = msg
	if m.L.Traits.Interleaved && o != NonAtomic {
		m.supersede(int(a), x)
	}
}

// supersede has all units see the newest message of x, number a of the atomic
// locations, and forgets the others: whoever reads it learns no less than from
// them, since who wrote it had acquired what they publish or wrote them himself.
func (m *Memory) supersede(a int, x Loc) {
	n := uint32(len(m.list(x)))
	m.setAll(int32(a), n)
	m.forget(a, x, n-1)
	m.msgs[m.start[a]].rmw = true // it matters to nobody who wrote it
	if m.mayWeed() {
		m.gcViews()
	}
}

// attach adds a source to a message's list and returns the list's new head.
func (m *Memory) attach(head int32, s messageView) int32 {
	s.next = head
	m.srcs = append(m.srcs, s)
	return int32(len(m.srcs) - 1)
}

// shift makes room in every vector and guard for a message inserted at index p of x.
func (m *Memory) shift(x Loc, p int) {
	if p == len(m.list(x))-1 {
		return // appended: nobody has seen anything newer
	}
	slot, w := int(m.L.slot[m.L.atom[x]]), m.L.width
	for _, vectors := range [...][]uint32{m.rows, m.snaps} {
		for i := slot; i < len(vectors); i += w {
			if vectors[i] > uint32(p) {
				vectors[i]++
			}
		}
	}
	for i := range m.guards {
		if g := &m.guards[i]; g.loc == x {
			g.shift(int32(p))
		}
	}
	m.shiftPromises(x, p)
}

// orderWrite adds the seq_cst constraints of a write, whose read part, if it
// is a read-modify-write, read message number from. S has all seq_cst operations,
// whatever their scopes (rule 8.8).
func (m *Memory) orderWrite(u Unit, x Loc, p, from int, o Order, s Scope) bool {
	if !m.L.Traits.SeqCst {
		return true
	}
	ev := scNone
	if o == SeqCst {
		var ok bool
		if ev, ok = m.scEvent(u, m.scComps(regionComps(m.L.Locs[x].Region)), s, false); !ok {
			return false
		}
		m.sc.events[ev].write = true
	}
	if from >= 0 && !m.scRead(u, x, from, ev) {
		return false
	}
	return m.scWrite(u, x, p, ev)
}
