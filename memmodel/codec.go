package memmodel

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Append appends the canonical encoding of m, which must have been normalised.
// Equal encodings of one Layout mean equal futures.
func (m *Memory) Append(b []byte) []byte {
	for i := range m.alive {
		b = binary.AppendUvarint(b, m.alive[i])
		b = binary.AppendUvarint(b, m.parked[i])
	}
	b = appendWords(appendWords(b, m.count), m.committed)
	var room [64]int32
	timed := m.L.timekeepers(m.count, room[:0])
	b = m.appendViews(b, timed)
	b = m.appendMessages(b)
	for u := range m.L.units() {
		if m.Live(u) {
			b = m.appendSources(b, m.relf, m.relfHead[u])
			b = m.appendSources(b, m.pend, m.pendHead[u])
		}
	}
	b = appendWord(b, uint32(len(m.snaps)/m.L.width))
	b = m.L.appendVectors(b, m.snaps, timed)
	b = m.appendPlain(b)
	b = m.appendRecords(b)
	b = m.appendGuards(b)
	if m.L.Traits.Promises {
		b = appendWord(b, uint32(len(m.promises)))
		for i := range m.promises {
			b = m.promises[i].append(b)
		}
	}
	if m.L.Traits.SeqCst {
		b = m.sc.append(b)
	}
	return b
}

// timekeepers appends the units whose events something refers to, given how many of each unit's are referred to: the
// clocks of all others are zero in canonical form. Of a thousand work-items between two barriers hardly any keeps
// time. It returns nil, for all, where nothing is saved.
func (l *Layout) timekeepers(counts []uint32, units []int32) []int32 {
	if !l.Timed() {
		return nil
	}
	for u, n := range counts {
		if n > 0 {
			units = append(units, int32(u))
		}
	}
	if len(units) == len(counts) {
		return nil
	}
	return units
}

// appendVectors appends vectors of a canonical memory, of their clocks those of the timekeepers.
func (l *Layout) appendVectors(b []byte, vectors []uint32, timed []int32) []byte {
	if timed == nil {
		return appendWords(b, vectors)
	}
	for at := 0; at < len(vectors); at += l.width {
		b = l.appendVector(b, vectors[at:at+l.width], timed, -1)
	}
	return b
}

// appendVector appends a vector, of its clocks those of the timekeepers, and 0 in place of that of unit own, if there is one.
func (l *Layout) appendVector(b []byte, v []uint32, timed []int32, own Unit) []byte {
	for k := l.first; k < l.ncomps; k++ {
		b = appendWords(b, v[l.bound[k]:l.clock[k]])
		switch clocks := l.clocks(v, k); {
		case len(clocks) == 0:
		case timed == nil:
			b = appendWords(append(appendWords(b, clocks[:own]), 0), clocks[own+1:])
		default:
			for _, t := range timed {
				if Unit(t) == own {
					b = append(b, 0)
				} else {
					b = appendWord(b, clocks[t])
				}
			}
		}
	}
	return b
}

// appendViews appends the views of those who live. Of a thousand work-items that have met at a barrier most have seen what the one
// before has, but for what each of the two has done itself: of that a view says nothing.
func (m *Memory) appendViews(b []byte, timed []int32) []byte {
	before := Unit(-1)
	for u := range m.L.units() {
		switch {
		case !m.Live(u):
			continue
		case m.L.Traits.SeqCst || !m.L.Timed():
			b = m.L.appendVectors(b, m.view(u), timed)
		case !m.L.crowded:
			b = m.L.appendVector(b, m.view(u), timed, u)
		case before >= 0 && m.sameView(u, before):
			b = append(b, 1)
			for k := m.L.first; k < m.L.ncomps; k++ {
				if clocks := m.L.clocks(m.view(u), k); len(clocks) > 0 {
					b = appendWord(b, clocks[before])
				}
			}
		default:
			b = m.L.appendVector(append(b, 0), m.view(u), timed, u)
		}
		before = u
	}
	return b
}

func (m *Memory) appendGuards(b []byte) []byte {
	b = appendWord(b, uint32(len(m.guards)))
	for _, g := range m.guards {
		b = append(appendWord(appendWord(appendWord(appendWord(b, uint32(g.loc)), uint32(g.head)), uint32(g.last)), uint32(g.owner)), bit(g.broken))
	}
	return b
}

func (p *promise) append(b []byte) []byte {
	b = appendWord(appendWord(appendWord(b, uint32(p.unit)), uint32(p.loc)), uint32(p.at+1))
	b = binary.AppendVarint(binary.AppendVarint(b, p.Val), p.Old)
	return append(b, byte(p.Order), byte(p.Scope), bit(p.RMW))
}

func (m *Memory) appendMessages(b []byte) []byte {
	for a := range m.L.atomics {
		b = appendWord(b, m.start[a+1]-m.start[a])
	}
	for i := range m.msgs {
		q := &m.msgs[i]
		b = binary.AppendVarint(b, q.val)
		b = appendWord(b, uint32(q.writer-nobody))
		b = append(b, bit(q.na)|bit(q.rmw)<<1|bit(q.sc)<<2)
		b = m.appendSources(b, m.srcs, q.src)
		if m.L.Traits.SeqCst {
			b = appendWord(b, q.event)
			b = appendSets(b, q.beforeWrites, q.beforeFences, q.beforeKnown)
		}
	}
	return b
}

func (m *Memory) appendSources(b []byte, pool []messageView, head int32) []byte {
	for i := head; i != none; i = pool[i].next {
		s := &pool[i]
		b = append(b, 1)
		b = appendWord(b, uint32(s.key.unit))
		b = append(b, byte(s.key.scope)|bit(s.key.fence)<<4|bit(s.key.sc)<<5, byte(s.key.flags))
		b = appendWord(b, uint32(s.loc))
		b = appendWord(b, uint32(s.snap))
	}
	return append(b, 0)
}

func (m *Memory) appendPlain(b []byte) []byte {
	for x, a := range m.L.atom {
		if a < 0 {
			b = m.appendValue(b, Loc(x))
		}
	}
	return b
}

// appendValue appends the value of plain location x, if it has one.
func (m *Memory) appendValue(b []byte, x Loc) []byte {
	if m.written[x>>6]&(1<<(x&63)) == 0 {
		return append(b, 0)
	}
	return binary.AppendVarint(append(b, 1), m.values[x])
}

func (m *Memory) appendRecords(b []byte) []byte {
	for i := range m.recs {
		r := &m.recs[i]
		b = append(b, 1|bit(r.write)<<1|bit(r.na)<<2|byte(r.scope)<<3|bit(r.known)<<7)
		b = appendWord(appendWord(appendWord(b, uint32(r.loc)), r.unit), r.event)
	}
	return append(b, 0)
}

func (g *scGraph) append(b []byte) []byte {
	b = appendWord(b, uint32(len(g.events)))
	for i := range g.events {
		e := &g.events[i]
		b = appendWord(appendWord(b, uint32(e.unit)), e.event)
		b = append(b, byte(e.scope)|bit(e.fence)<<4|bit(e.write)<<5)
		b = appendSets(b, e.after)
	}
	b = appendWords(b, g.thresholds)
	b = appendWords(b, g.clocks)
	for _, sets := range [...][]scSet{g.baseWrites, g.baseFences, g.beforeNext, g.fences} {
		b = appendSets(b, sets...)
	}
	return append(b, bit(g.fine)|bit(g.device)<<1|bit(g.other)<<2|bit(g.cyclic)<<3|bit(g.Full)<<4)
}

func appendWord(b []byte, w uint32) []byte {
	if w < 0x80 {
		return append(b, byte(w))
	}
	return binary.AppendUvarint(b, uint64(w))
}

func appendWords(b []byte, words []uint32) []byte {
	n := len(b)
	b = slices.Grow(b, len(words))[:n+len(words)]
	for i, w := range words {
		if w >= 0x80 { // seldom
			b = b[:n+i]
			for _, w := range words[i:] {
				b = appendWord(b, w)
			}
			return b
		}
		b[n+i] = byte(w)
	}
	return b
}

func appendSets(b []byte, sets ...scSet) []byte {
	for _, s := range sets {
		b = binary.AppendUvarint(b, uint64(s))
	}
	return b
}

func bit(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// ErrCorrupt is returned by Decode for bytes that Append cannot have written.
var ErrCorrupt = errors.New("memmodel: corrupt encoding")

// Decode makes m the memory that Append encoded for layout l and returns the
// bytes that follow it.
func (m *Memory) Decode(l *Layout, b []byte) ([]byte, error) {
	m.Reset(l)
	d := decoder{b: b}
	for i := range m.alive {
		m.alive[i], m.parked[i] = d.uvarint(), d.uvarint()
	}
	d.words(m.count)
	d.words(m.committed)
	var room [64]int32
	timed := l.timekeepers(m.count, room[:0])
	d.views(m, timed)
	d.messages(m)
	for u := range l.units() {
		if m.Live(u) {
			m.relf, m.relfHead[u] = d.sources(m.relf)
			m.pend, m.pendHead[u] = d.sources(m.pend)
		}
	}
	m.snaps = resize(m.snaps, d.length()*l.width)
	d.vectors(l, m.snaps, timed)
	d.plain(m)
	d.records(m)
	m.guards = m.guards[:0]
	for range d.length() {
		g := guard{loc: Loc(d.word()), head: int32(d.word()), last: int32(d.word()), owner: int32(d.word())}
		g.broken = d.byte() != 0
		m.guards = append(m.guards, g)
	}
	if l.Traits.Promises {
		for range d.length() {
			p := promise{unit: int32(d.word()), loc: Loc(d.word()), at: int32(d.word()) - 1}
			p.Val, p.Old = d.varint(), d.varint()
			p.Order, p.Scope, p.RMW = Order(d.byte()), Scope(d.byte()), d.byte() != 0
			m.promises = append(m.promises, p)
		}
	}
	if l.Traits.SeqCst {
		d.graph(m)
	}
	if d.bad {
		return nil, ErrCorrupt
	}
	return d.b, nil
}

// Reader reads the bytes and numbers that encodings are made of. Beyond the end
// it reads zeros, and is Bad from then on.
type Reader struct{ decoder }

// NewReader returns a reader of b.
func NewReader(b []byte) Reader { return Reader{decoder{b: b}} }

// Byte reads a byte.
func (r *Reader) Byte() byte { return r.byte() }

// Uvarint reads a number as binary.AppendUvarint writes it.
func (r *Reader) Uvarint() uint64 { return r.uvarint() }

// Varint reads a number as binary.AppendVarint writes it.
func (r *Reader) Varint() int64 { return r.varint() }

// Bad reports whether something was missing.
func (r *Reader) Bad() bool { return r.bad }

// Rest returns what has not been read.
func (r *Reader) Rest() []byte { return r.b }

type decoder struct {
	b   []byte // what is left to be read
	bad bool   // it has not been what Append writes
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.bad = true
		return 0
	}
	v := d.b[0]
	d.b = d.b[1:]
	return v
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) word() uint32 {
	if len(d.b) > 0 && d.b[0] < 0x80 {
		v := d.b[0]
		d.b = d.b[1:]
		return uint32(v)
	}
	return uint32(d.uvarint())
}

// length reads a number of elements, each of at least a byte.
func (d *decoder) length() int {
	n := int(d.word())
	if n > len(d.b) {
		d.bad = true
		return 0
	}
	return n
}

func (d *decoder) words(w []uint32) {
	for i := range w {
		w[i] = d.word()
	}
}

// vectors reads what appendVectors writes into vectors of zeros.
func (d *decoder) vectors(l *Layout, vectors []uint32, timed []int32) {
	if timed == nil {
		d.words(vectors)
		return
	}
	for at := 0; at < len(vectors); at += l.width {
		for k := l.first; k < l.ncomps; k++ {
			d.words(vectors[at+int(l.bound[k]) : at+int(l.clock[k])])
			if clocks := l.clocks(vectors[at:], k); len(clocks) > 0 {
				for _, u := range timed {
					clocks[u] = d.word()
				}
			}
		}
	}
}

// views reads what appendViews writes.
func (d *decoder) views(m *Memory, timed []int32) {
	before := Unit(-1)
	for u := range m.L.units() {
		if !m.Live(u) || !m.L.Traits.SeqCst {
			m.adopt(u, none)
		}
	}
	for u := range m.L.units() {
		switch {
		case !m.Live(u):
			continue
		case m.L.Traits.SeqCst: // each has a row already
			d.vectors(m.L, m.view(u), timed)
		case !m.L.Timed() || !m.L.crowded || d.byte() == 0:
			d.vectors(m.L, m.vector(m.fork(u, m.L.nothing)), timed)
		case before < 0:
			d.bad = true
			return
		default:
			d.shareView(m, u, before)
		}
		before = u
	}
}

// shareView gives unit u the view of unit t, but for what they have done themselves.
func (d *decoder) shareView(m *Memory, u, t Unit) {
	m.adopt(u, m.row[t])
	for k := m.L.first; k < m.L.ncomps; k++ {
		if !m.L.timed(k) {
			continue
		}
		at, e := m.L.clock[k]+int32(t), d.word()
		switch v := m.view(u); {
		case m.users[m.row[u]] == 2: // what it says of t counts from now on
			v[at] = e
		case v[at] != e:
			m.change(u)[at] = e
		}
	}
}

func (d *decoder) sets(s ...*scSet) {
	for i := range s {
		*s[i] = scSet(d.uvarint())
	}
}

func (d *decoder) messages(m *Memory) {
	m.msgs = m.msgs[:0]
	for a := range m.L.atomics {
		m.start[a+1] = m.start[a] + uint32(d.length())
	}
	for range m.start[len(m.L.atomics)] {
		if d.bad {
			return
		}
		q := message{val: d.varint(), writer: int32(d.word()) + nobody}
		f := d.byte()
		q.na, q.rmw, q.sc = f&1 != 0, f&2 != 0, f&4 != 0
		m.srcs, q.src = d.sources(m.srcs)
		if m.L.Traits.SeqCst {
			q.event = d.word()
			d.sets(&q.beforeWrites, &q.beforeFences, &q.beforeKnown)
		}
		m.msgs = append(m.msgs, q)
	}
}

func (d *decoder) sources(pool []messageView) ([]messageView, int32) {
	head := int32(none)
	for d.byte() == 1 {
		s := messageView{next: none}
		s.key.unit = int32(d.word())
		f := d.byte()
		s.key.scope, s.key.fence, s.key.sc = Scope(f&15), f&16 != 0, f&32 != 0
		s.key.flags = Flags(d.byte())
		s.loc, s.snap = Loc(d.word()), int32(d.word())
		if head == none {
			head = int32(len(pool))
		} else {
			pool[len(pool)-1].next = int32(len(pool))
		}
		pool = append(pool, s)
	}
	return pool, head
}

func (d *decoder) plain(m *Memory) {
	clear(m.written)
	for x, a := range m.L.atom {
		if a < 0 {
			m.values[x] = 0
			if d.byte() == 1 {
				m.values[x] = d.varint()
				m.written[x>>6] |= 1 << (x & 63)
			}
		}
	}
}

func (d *decoder) records(m *Memory) {
	m.recs = m.recs[:0]
	for x := range m.recHead {
		m.recHead[x] = none
	}
	for f := d.byte(); f != 0; f = d.byte() {
		r := record{write: f&2 != 0, na: f&4 != 0, scope: Scope(f >> 3 & 15), known: f&128 != 0, next: none}
		r.loc, r.unit, r.event = Loc(d.word()), d.word(), d.word()
		if int(r.loc) >= len(m.recHead) || int(r.unit) >= len(m.L.Units) {
			d.bad = true
			return
		}
		m.recs = append(m.recs, r)
	}
	m.link()
}

func (d *decoder) graph(m *Memory) {
	g := &m.sc
	n := d.length()
	for range n {
		e := scEvent{unit: int32(d.word()), event: d.word()}
		f := d.byte()
		e.scope, e.fence, e.write = Scope(f&15), f&16 != 0, f&32 != 0
		d.sets(&e.after)
		g.events = append(g.events, e)
	}
	g.thresholds = resize(g.thresholds, n*len(m.L.Units)*m.L.ncomps)
	d.words(g.thresholds)
	g.clocks = resize(g.clocks, n*len(m.L.Units))
	d.words(g.clocks)
	for _, sets := range [...][]scSet{g.baseWrites, g.baseFences, g.beforeNext, g.fences} {
		for i := range sets {
			d.sets(&sets[i])
		}
	}
	f := d.byte()
	g.fine, g.device, g.other, g.cyclic, g.Full = f&1 != 0, f&2 != 0, f&4 != 0, f&8 != 0, f&16 != 0
}

// Final returns the last value of location x in modification order.
func (m *Memory) Final(x Loc) int64 {
	if m.L.atom[x] < 0 {
		return m.values[x]
	}
	if list := m.list(x); len(list) > 0 {
		return list[len(list)-1].val
	}
	return 0
}
