package memmodel

// FaultKind says what an operation found wrong.
type FaultKind uint8

// The faults that memory itself can find.
const (
	NoFault       FaultKind = iota
	DataRace                // rule 9.1
	Uninitialised           // read of a location that nothing has written (rule 1.4)
	Unfenced                // read of a texel that the unit itself has written, without a fence (rule 6.10)
)

// Fault is what an operation found wrong with the execution so far.
// docs/exploration/races.md, "Races that are not known".
type Fault struct {
	Kind FaultKind // what is wrong
	Loc  Loc       // the location accessed
	Unit Unit      // whose operation found it
	// Of a race or a missing fence: the earlier access, by unit and event, and whether both are
	// atomic but of scopes that are not inclusive.
	Other      Unit
	OtherEvent uint32 // which of the other's accesses
	Scopes     bool   // both are atomic
	// Of a race: it is set aside, since one of the accesses is where races are known (Memory.Forgives).
	Known bool
}

// fault notes what is wrong: what comes first, but no race that is known in place of one that is not.
func (m *Memory) fault(f Fault) {
	if m.Fault.Kind == NoFault || m.Fault.Known && !f.Known && f.Kind != Uninitialised {
		m.Fault = f
	}
}

// record is the last access of one sort that a unit made to a location, for
// finding races with accesses to come. One a sort is enough: an access that
// the last one happens before comes after all earlier ones, too. Those where races are known are a sort of their own:
// whoever races with the last access that is known may race with an earlier one that is not.
type record struct {
	event uint32 // the access, of its unit's
	next  int32  // the next record of the location, or none
	unit  uint32 // who made it
	loc   Loc    // what it accessed
	write bool   // it wrote, or wrote as well as read
	na    bool   // non-atomic
	scope Scope  // of an atomic access
	known bool   // it is where races are known, and set aside
	// To its unit by gather, which might be another one. It is not part of the state.
	gathered bool
}

// Calm reports whether no two accesses of location x can race.
func (m *Memory) Calm(x Loc) bool { return m.L.calm[x] }

// access checks unit u's present event, an access of location x, for races (rules 5.2, 9.1, 9.2)
// with the accesses so far, and records it. Which of two racing accesses
// comes second does not matter. A work-item's own write of an image races, too,
// unless a fence has committed it (rule 6.10).
func (m *Memory) access(u Unit, x Loc, write, na bool, s Scope) {
	if m.L.calm[x] {
		return
	}
	k := m.view(u)[m.L.clock[m.L.comp[x]]:]
	if na {
		s = 0
	}
	for i := m.recHead[x]; i != none; i = m.recs[i].next {
		r := &m.recs[i]
		t := Unit(r.unit)
		if t == u && m.L.comp[x] == compImage && r.write && !write && r.event > m.committed[u] {
			m.fault(Fault{Kind: Unfenced, Loc: x, Unit: u, Other: t, OtherEvent: r.event})
		}
		if t == u || !(r.write || write) || r.event <= k[t] {
			continue
		}
		if na || r.na || !m.L.inclusive(t, r.scope, u, s, x) {
			m.fault(Fault{Kind: DataRace, Loc: x, Unit: u, Other: t, OtherEvent: r.event, Scopes: !na && !r.na, Known: m.Forgives || r.known})
		}
	}
	m.remember(x, record{loc: x, event: m.count[u], unit: uint32(u), write: write, na: na, scope: s, known: m.Forgives})
}

// remember adds a record and drops those that it stands for.
func (m *Memory) remember(x Loc, r record) {
	if r.write && r.na && !r.known && m.Fault.Kind == NoFault {
		// Everything so far happens before this write, so whatever races with
		// an earlier access races with this one as well.
		m.recHead[x] = none
	}
	for i := m.recHead[x]; i != none; i = m.recs[i].next {
		q := &m.recs[i]
		if q.unit == r.unit && q.write == r.write && q.na == r.na && q.scope == r.scope && q.known == r.known {
			q.event = r.event
			return
		}
	}
	r.next = m.recHead[x]
	m.recs = append(m.recs, r)
	m.recHead[x] = int32(len(m.recs) - 1)
}
