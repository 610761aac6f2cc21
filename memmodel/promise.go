package memmodel

import (
	"cmp"
	"slices"
)

// promise is a write that unit `unit` still owes: others may have read it
// already, and program order has yet to come to it. A unit performs all its
// other operations in program order, so promises are what lets executions
// with a cycle in program order and reads-from occur (load buffering).
type promise struct {
	unit int32 // who owes it
	loc  Loc   // the location written
	// at is the message's place in modification order. Of a release it is -1:
	// that write has been performed in full, and what remains is to come to it
	// without another action in memory of its region.
	at int32
	Write
}

// Write is a write that is or was promised.
type Write struct {
	Val   int64 // what is written
	Order Order // the order of the operation
	Scope Scope // and its scope
	RMW   bool  // of a read-modify-write
	Old   int64 // what that reads
}

// ahead is the event of a promised message: it comes after whatever anybody
// has seen of its unit.
const ahead = never

// sealed reports whether the promise is of a release, whose released view no
// action of its unit may change any more.
func (p *promise) sealed() bool { return p.at < 0 }

// Promise makes an atomic write of unit u visible before the operations that
// come first in program order; x and back are those of Store or Modify. The
// unit must Fulfil it in the end.
//
// A write that does not release publishes what release fences before it have
// published, and no release fence may come between, so nothing that its readers
// learn depends on what the unit does meanwhile. A release publishes the
// unit's view in the happens-before relation of its region. That stays as it
// is while the unit acts in the other region only.
func (m *Memory) Promise(u Unit, x Loc, back Msg, w Write) bool {
	p := promise{unit: int32(u), loc: x, at: -1, Write: w}
	ok := true
	switch {
	case w.Order.Releases() && w.RMW:
		ok = m.Modify(u, x, back, 0, w.Val, w.Order, w.Scope)
	case w.Order.Releases():
		ok = m.Store(u, x, back, w.Val, w.Order, w.Scope)
	default:
		seen, at, from := m.seen(u, x), len(m.list(x))-int(back), -1
		if w.RMW {
			from = at - 1
		}
		m.insert(u, x, at, message{val: w.Val, rmw: w.RMW}, w.Order, w.Scope)
		m.see(u, x, seen)
		ok = m.orderWrite(u, x, at, from, w.Order, w.Scope)
		m.list(x)[at].event = ahead
		p.at = int32(at)
	}
	m.promises = append(m.promises, p)
	return ok
}

// Promises returns how many writes unit u owes.
func (m *Memory) Promises(u Unit) (n int) {
	for i := range m.promises {
		if Unit(m.promises[i].unit) == u {
			n++
		}
	}
	return n
}

// Promised reports whether some unit owes a write.
func (m *Memory) Promised() bool { return len(m.promises) > 0 }

// Owed is a write that its unit may perform now. Back is as for Store or
// Modify; of a release, which has been performed, it is 0.
type Owed struct {
	Write
	Back Msg // the place of its message
}

// Owes appends the writes of location x that unit u owes and that are newer
// than what it has seen (rules 7.3, 7.5).
func (m *Memory) Owes(u Unit, x Loc, out []Owed) []Owed {
	for i := range m.promises {
		p := &m.promises[i]
		if Unit(p.unit) != u || p.loc != x {
			continue
		}
		switch {
		case p.sealed():
			out = append(out, Owed{Write: p.Write})
		case p.at >= int32(m.seen(u, x)):
			out = append(out, Owed{p.Write, m.backOf(p)})
		}
	}
	return out
}

// Missed reports whether unit u owes a write that is older than what it has seen of the location, so that it can never perform it.
func (m *Memory) Missed(u Unit) bool {
	for i := range m.promises {
		if p := &m.promises[i]; Unit(p.unit) == u && !p.sealed() && p.at < int32(m.seen(u, p.loc)) {
			return true
		}
	}
	return false
}

// backOf returns what names a promise among those of its unit and location: of
// a store, its place, of a read-modify-write, the message that it reads.
func (m *Memory) backOf(p *promise) Msg {
	back := len(m.list(p.loc)) - 1 - int(p.at)
	if p.RMW {
		back++
	}
	return Msg(back)
}

// Fulfil performs a write that unit u owes; broken is as for Modify.
func (m *Memory) Fulfil(u Unit, x Loc, broken int, w Owed) {
	i := slices.IndexFunc(m.promises, func(p promise) bool {
		return Unit(p.unit) == u && p.loc == x && p.Write == w.Write && (p.sealed() || m.backOf(&p) == w.Back)
	})
	at := int(m.promises[i].at)
	m.promises = slices.Delete(m.promises, i, i+1)
	if at < 0 {
		return
	}
	var r extent
	if w.RMW {
		r = m.extent(u, x, at-1, broken)
	}
	m.tick(u)
	if w.RMW {
		m.read(u, x, at-1, r, w.Order, w.Scope)
	}
	m.see(u, x, uint32(at+1))
	m.access(u, x, true, false, w.Scope)
	m.list(x)[at].event = m.count[u]
}

// AccessBarred reports whether unit u may not access location x while it owes
// what it owes: a release of the location would head a release sequence that
// those who have read the promise knew nothing of (rule 5.4), and a promised
// release must come before the unit's next action of its region.
func (m *Memory) AccessBarred(u Unit, x Loc, releases bool, o Order) bool {
	for i := range m.promises {
		p := &m.promises[i]
		if Unit(p.unit) == u && (releases && p.loc == x || p.sealed() && m.actsOn(p, regionComps(m.L.Locs[x].Region), o)) {
			return true
		}
	}
	return false
}

// FenceBarred reports whether unit u may not perform a fence while it owes what
// it owes: what a release fence publishes goes with the promised stores to
// memory that it names.
func (m *Memory) FenceBarred(u Unit, f Flags, o Order) bool {
	for i := range m.promises {
		p := &m.promises[i]
		if Unit(p.unit) == u && (!PassesFence(m.L.Locs[p.loc].Region, f, o) || p.sealed() && o != Relaxed && m.actsOn(p, flagComps(f), o)) {
			return true
		}
	}
	return false
}

// PassesFence reports whether a write to a region may become visible before a
// fence that comes before it in program order. A release fence publishes through
// writes to the memory that it names only (rule 6.6), a seq_cst fence orders
// whatever is around it (rules 8.4 to 8.7).
func PassesFence(r Region, f Flags, o Order) bool {
	return !o.Releases() || o != SeqCst && flagComps(f)&regionComps(r) == 0
}

// actsOn reports whether an action of these components and this order belongs
// to a happens-before relation that a promise's write belongs to.
func (m *Memory) actsOn(p *promise, comps compSet, o Order) bool {
	own := regionComps(m.L.Locs[p.loc].Region)
	if o == SeqCst {
		comps = m.scComps(comps)
	}
	if p.Order == SeqCst {
		own = m.scComps(own)
	}
	return comps&own != 0
}

// shiftPromises makes room for a message inserted at index p of x.
func (m *Memory) shiftPromises(x Loc, p int) {
	for i := range m.promises {
		if q := &m.promises[i]; q.loc == x && int(q.at) >= p {
			q.at++
		}
	}
}

// forgetPromised follows the n oldest messages of x being dropped.
func (m *Memory) forgetPromised(x Loc, n int) {
	for i := range m.promises {
		if q := &m.promises[i]; q.loc == x && !q.sealed() {
			q.at -= int32(n)
		}
	}
}

func (m *Memory) sortPromises() {
	slices.SortFunc(m.promises, func(a, b promise) int {
		return cmp.Or(cmp.Compare(a.unit, b.unit), cmp.Compare(a.loc, b.loc), cmp.Compare(a.at, b.at),

			cmp.Compare(a.Val, b.Val), cmp.Compare(a.Old, b.Old), cmp.Compare(a.Order, b.Order), cmp.Compare(a.Scope, b.Scope), boolCompare(a.RMW, b.RMW))
	})
}
