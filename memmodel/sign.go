package memmodel

import "math/bits"

// Signatures tell units, and groups of locations, apart without naming them:
// equal things get equal signatures whatever they are called.
type Signatures struct {
	Unit []uint64 // a signature for each unit
	// Loc has, for each location, a name that interchangeable locations share.
	Loc []uint64
	// Home is, by location, the owner of those that are interchangeable, an index into Group, or -1.
	Home  []int32
	Group []uint64 // a signature for each group of locations
	// Place is, by unit, the owner of the locations that are its own, or -1.
	Place []int32

	unit, group []uint64 // being made
	// By unit that has ended: what accesses are on record that it might have made as well as others; 0 if none.
	dead  []uint64
	snaps []uint64 // of the published vectors
	noted []int32  // the units of which clocks may know events
}

// Refine replaces the signatures by ones that also tell what m, which must be
// canonical, keeps of each unit and group, in terms of the old signatures.
func (s *Signatures) Refine(m *Memory) {
	s.unit = append(s.unit[:0], s.Unit...)
	s.group = append(s.group[:0], s.Group...)
	s.noted = s.noted[:0]
	for u, n := range m.count {
		if n > 0 {
			s.noted = append(s.noted, int32(u))
		}
	}
	s.signDead(m)
	s.signSnaps(m)
	for u := range m.L.units() {
		s.signUnit(m, u)
	}
	s.signMessages(m)
	s.signPlain(m)
	if m.L.Traits.SeqCst {
		s.signGraph(m)
	}
	s.Unit, s.unit = s.unit, s.Unit
	s.Group, s.group = s.group, s.Group
}

// Mix combines two words into one that depends on their order.
func Mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd1b54a32d192ed03)
	return hi ^ lo ^ bits.RotateLeft64(a, 23)
}

// Salts keep apart what could be mistaken for each other.
const (
	saltView = iota + 1
	saltClock
	saltSeen
	saltOwn
	saltLive
	saltRelease
	saltPending
	saltMessage
	saltWriter
	saltPlain
	saltRecord
	saltGuard
	saltPromise
	saltEvent
	saltReach
	saltSets
	saltMet
)

// loc is the name of location x for unit u (-1: for nobody).
func (s *Signatures) loc(x Loc, u Unit) uint64 {
	home := s.Home[x]
	switch {
	case home < 0:
		return s.Loc[x]
	case u >= 0 && s.Place[u] == home:
		return Mix(s.Loc[x], saltOwn)
	}
	return Mix(s.Loc[x], s.Group[home])
}

// vector signs a vector of unit u (-1: of nobody).
func (s *Signatures) vector(m *Memory, v []uint32, u Unit) (sum uint64) {
	for a, x := range m.L.atomics {
		if at := v[m.L.slot[a]]; at != 0 {
			sum += Mix(s.loc(x, u)+saltView, uint64(at))
		}
	}
	for k := m.L.first; k < m.L.ncomps; k++ {
		clocks := m.L.clocks(v, k)
		if len(clocks) == 0 {
			continue
		}
		for _, t := range s.noted {
			switch e := clocks[t]; {
			case e == 0:
			case Unit(t) == u:
				if m.L.Traits.SeqCst { // or it says nothing
					sum += Mix(saltOwn+uint64(k)<<8, uint64(e))
				}
			case s.dead[t] != 0:
				sum += Mix(s.dead[t]+saltClock+uint64(k)<<8, uint64(e))
			default:
				sum += Mix(s.Unit[t]+saltClock+uint64(k)<<8, uint64(e))
			}
		}
	}
	return sum
}

// signSnaps signs the published vectors, and tells units who has published
// something of them.
func (s *Signatures) signSnaps(m *Memory) {
	s.snaps = s.snaps[:0]
	for at := 0; at < len(m.snaps); at += m.L.width {
		v := m.snaps[at : at+m.L.width]
		sum := s.vector(m, v, -1)
		s.snaps = append(s.snaps, sum)
		s.mention(m, v, sum, -1)
	}
}

// signDead signs the accesses of those who have ended, which are the same whoever they are given to.
func (s *Signatures) signDead(m *Memory) {
	s.dead = append(s.dead[:0], s.Unit...)
	clear(s.dead)
	for i := range m.recs {
		if r := &m.recs[i]; r.gathered {
			s.dead[r.unit] += Mix(s.loc(r.loc, -1), r.kind()) | 1
		}
	}
}

// kind says what an access was, but for who made it when.
func (r *record) kind() uint64 {
	return saltRecord | uint64(bit(r.write))<<8 | uint64(bit(r.na))<<9 | uint64(r.scope)<<10 | uint64(bit(r.known))<<16
}

// mention tells the units whose clocks are in a vector, of unit u (-1: of nobody), what the vector is.
func (s *Signatures) mention(m *Memory, v []uint32, sum uint64, u Unit) {
	for k := m.L.first; k < m.L.ncomps; k++ {
		clocks := m.L.clocks(v, k)
		if len(clocks) == 0 {
			continue
		}
		for _, t := range s.noted {
			if e := clocks[t]; e != 0 && s.dead[t] == 0 && (Unit(t) != u || m.L.Traits.SeqCst) {
				s.unit[t] += Mix(sum+saltSeen+uint64(k)<<8, uint64(e))
			}
		}
	}
}

func (s *Signatures) signUnit(m *Memory, u Unit) {
	sum := uint64(0)
	if s.dead[u] == 0 {
		if sum = uint64(m.count[u]); m.L.images {
			sum += Mix(saltOwn, uint64(m.committed[u]))
		}
	}
	if m.Live(u) {
		v := m.view(u)
		sum += s.vector(m, v, u) + Mix(saltLive, m.parked[u>>6]>>(u&63)&1)
		sum += s.sources(m, m.relf, m.relfHead[u], -1, s.Unit[u]+saltRelease)
		for i := m.pendHead[u]; i != none; i = m.pend[i].next {
			q := &m.pend[i]
			where := Mix(s.loc(q.loc, u), saltPending)
			if q.given {
				sum += s.source(q, m.L.meets(Unit(q.key.unit), q.key.scope, u, q.loc), where)
				continue
			}
			sum += s.source(q, s.Unit[q.key.unit], where)
			s.unit[q.key.unit] += Mix(where, s.Unit[u])
		}
		s.mention(m, v, s.Unit[u], u)
	}
	s.unit[u] += Mix(sum, saltLive)
	if home := s.Place[u]; home >= 0 {
		s.unit[u] += Mix(s.Group[home], saltOwn)
		s.group[home] += Mix(s.Unit[u], saltOwn)
	}
}

// sources signs a list of sources, of location x if of messages, whatever their order, and tells
// the releasers where their releases are. Of those that could be others' as well it counts how
// those who may still act meet them.
func (s *Signatures) sources(m *Memory, pool []messageView, head int32, x Loc, where uint64) (sum uint64) {
	for i := head; i != none; i = pool[i].next {
		q := &pool[i]
		if q.given {
			sum += s.source(q, s.met(m, q, x), where)
			continue
		}
		sig := s.source(q, s.Unit[q.key.unit], where)
		sum += sig
		s.unit[q.key.unit] += Mix(sig, where)
	}
	return sum
}

// met signs how those who may still act meet a release that could be others' as well.
func (s *Signatures) met(m *Memory, q *messageView, x Loc) (sum uint64) {
	last, scopes := Unit(-1), uint64(0)
	for u := range m.L.units() {
		switch {
		case !m.Live(u):
			continue
		case last < 0 || last == Unit(q.key.unit) || u == Unit(q.key.unit) || m.L.Units[u] != m.L.Units[last]: // those of one place meet it with the same scopes
			scopes = m.L.meets(Unit(q.key.unit), q.key.scope, u, x)
		}
		last = u
		sum += Mix(s.Unit[u]+saltMet, scopes)
	}
	return sum
}

// source signs a source, given the signature of who made it.
func (s *Signatures) source(q *messageView, unit, where uint64) uint64 {
	k := uint64(q.key.scope) | uint64(q.key.flags)<<8 | uint64(bit(q.key.fence))<<16 | uint64(bit(q.key.sc))<<17
	return Mix(Mix(unit, k)+where, s.snaps[q.snap])
}

func (s *Signatures) signMessages(m *Memory) {
	for a, x := range m.L.atomics {
		name := s.loc(x, -1)
		for i := m.start[a]; i < m.start[a+1]; i++ {
			q := &m.msgs[i]
			where := Mix(name+saltMessage, uint64(i-m.start[a]))
			sum := Mix(where, uint64(q.val)) + uint64(bit(q.na)|bit(q.rmw)<<1|bit(q.sc)<<2) + s.sources(m, m.srcs, q.src, x, where)
			if q.writer >= 0 {
				sum += s.Unit[q.writer]
				s.unit[q.writer] += Mix(where, saltWriter+uint64(q.event)<<8)
			}
			s.tell(x, sum)
		}
	}
	for i := range m.guards {
		g := &m.guards[i]
		where := Mix(s.loc(g.loc, -1)+saltGuard, uint64(g.head)|uint64(g.last)<<24|uint64(bit(g.broken))<<48)
		s.unit[g.owner] += where
		s.tell(g.loc, where)
	}
	for i := range m.promises {
		p := &m.promises[i]
		where := Mix(s.loc(p.loc, Unit(p.unit))+saltPromise, uint64(p.at)<<32|uint64(p.Order)<<16|uint64(p.Scope)<<8|uint64(bit(p.RMW)))
		s.unit[p.unit] += Mix(where, uint64(p.Val)+Mix(saltPromise, uint64(p.Old)))
	}
}

// tell adds to what is known of the owner of location x.
func (s *Signatures) tell(x Loc, sum uint64) {
	if home := s.Home[x]; home >= 0 {
		s.group[home] += Mix(sum, saltMessage)
	}
}

// signPlain signs the values of plain locations, and the records of accesses.
func (s *Signatures) signPlain(m *Memory) {
	for x := range m.L.locs() {
		if s.Home[x] >= 0 && m.L.atom[x] < 0 && m.written[x>>6]&(1<<(x&63)) != 0 {
			s.tell(x, Mix(s.Loc[x]+saltPlain, uint64(m.values[x])))
		}
	}
	for i := range m.recs {
		r := &m.recs[i]
		what := r.kind()
		if !r.gathered {
			what = Mix(what, uint64(r.event))
			s.unit[r.unit] += Mix(s.loc(r.loc, Unit(r.unit)), what)
		}
		s.tell(r.loc, Mix(s.Loc[r.loc], what))
	}
}

// signGraph signs the part that each unit has in the seq_cst graph.
func (s *Signatures) signGraph(m *Memory) {
	g, n := &m.sc, len(m.L.Units)
	size := func(set scSet) uint64 { return uint64(bits.OnesCount64(uint64(set))) }
	for e := range g.events {
		ev := &g.events[e]
		k := uint64(ev.scope) | uint64(bit(ev.fence))<<8 | uint64(bit(ev.write))<<9 | size(ev.after)<<16
		name := Mix(s.Unit[ev.unit]+saltEvent, k+uint64(ev.event)<<32)
		s.unit[ev.unit] += name
		for k := range m.L.ncomps {
			for u, v := range g.thresholds[(e*m.L.ncomps+k)*n:][:n] {
				if v != never {
					s.unit[u] += Mix(name+saltReach+uint64(k)<<8, uint64(v))
				}
			}
		}
	}
	for u := range m.L.Units {
		s.unit[u] += Mix(saltSets, size(g.beforeNext[u])<<8|size(g.fences[u]))
	}
}
