package state

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/zeebo/xxh3"
)

// Certifying: what a unit can do alone, and so what it may promise and whether it can keep that.
// docs/exploration/certifying.md, "Certifying".

// Bounds: on the states of a unit that runs alone, and on the writes that it may
// promise at one place.
const (
	maxAlone  = 1 << 12
	maxOffers = 1<<8 - 2 // which Choice.Promise can tell apart
)

// Solo is what a unit comes to if it runs alone.
type Solo struct {
	writes []offer        // in a fixed order
	Heeds  []memmodel.Loc // the locations that it reads where a promise would make a difference to it
	Takes  []memmodel.Loc // those of which it modifies a message
	Again  []memmodel.Loc // of these, those that it modifies after it has written them
}

// solo is a Solo as the machine remembers it, for those who are alike alone.
type solo struct {
	*common
	places [][]uint16 // by write: the Back of each promise of it that the unit can keep; nil if nobody has asked yet
}

// soloAt is what a unit comes to alone from where it is.
type soloAt struct {
	*solo
	by     *offers // who has found it; nil if nobody has
	pc     int32   // where the unit was then
	status Status  // and what it did
}

// common is what those have in common who come to the same.
type common struct {
	Solo
	easy []bool // by write: the unit, which owes nothing, comes to it in a way that a promise of it leaves open
}

// What a solo occupies, and what it has in common with others.
const soloEntry = mapEntry + int(unsafe.Sizeof(solo{}))

func (o *common) bytes() int {
	return int(unsafe.Sizeof(*o)) + len(o.writes)*int(unsafe.Sizeof(offer{})+1) + 8*(len(o.Heeds)+len(o.Takes)+len(o.Again))
}

// solo returns what unit u comes to alone, or nothing when the machine is halted.
func (m *Machine) solo(s *State, u memmodel.Unit) *solo { return m.soloUnless(s, u, m.Halted) }

// soloAnyway is solo where it must be told, halted or not: what a promise is.
func (m *Machine) soloAnyway(s *State, u memmodel.Unit) *solo { return m.soloUnless(s, u, never) }

// soloUnless returns what unit u comes to alone, unless that must be worked out and stop has it stop.
func (m *Machine) soloUnless(s *State, u memmodel.Unit, stop func() bool) *solo {
	if int(u) < len(s.alone) {
		if at := &s.alone[u]; at.by == &m.offers && at.pc == s.pc[u] && at.status == s.status[u] {
			return at.solo
		}
	}
	found := m.comesTo(s, u, stop)
	if found == nil { // it had to stop
		return &solo{common: &common{}}
	}
	if len(s.alone) == 0 {
		s.alone = zeroed(s.alone, len(s.pc))
	}
	s.alone[u] = soloAt{found, &m.offers, s.pc[u], s.status[u]}
	return found
}

// forgetAlone forgets what units come to alone from s where a step of unit t has made a difference to that: to itself, and
// to those to whom it matters what is at the location.
func (m *Machine) forgetAlone(s *State, t memmodel.Unit, x memmodel.Loc) {
	for u := range memmodel.Unit(len(s.alone)) {
		if u == t || m.matters(s, u, x) {
			s.alone[u] = soloAt{}
		}
	}
}

// Forbids reports whether a promise of a write of one of these locations may forbid what was
// allowed before: a read-modify-write takes a message, what is seq_cst constrains S.
func (o *Solo) Forbids(locs facts.Set) bool {
	return slices.ContainsFunc(o.writes, func(p offer) bool {
		return locs.Has(int(p.loc)) && (p.Takes() || p.Order == memmodel.SeqCst)
	})
}

func never() bool { return false }

// comesTo finds what unit u comes to alone, or nil if it must stop.
func (m *Machine) comesTo(s *State, u memmodel.Unit, stop func() bool) *solo {
	key := m.alone(s, u)
	m.offers.mu.Lock()
	known, ok := m.offers.solos[key]
	m.offers.mu.Unlock()
	if ok {
		return known
	}
	l := m.loner(u)
	l.runFrom(s, key, stop)
	if stop() {
		return nil // it is not complete
	}
	return l.remember()
}

// keepsPromises reports whether unit u can perform all that it owes if it runs
// alone from s.
func (m *Machine) keepsPromises(s *State, u memmodel.Unit) bool {
	key := m.alone(s, u)
	m.offers.mu.Lock()
	keeps, ok := m.offers.keeps[key]
	m.offers.mu.Unlock()
	if ok {
		return keeps
	}
	l := m.loner(u)
	l.keeping = true
	l.runFrom(s, key, m.Halted)
	if !m.Halted() {
		l.rememberKept()
	}
	return l.kept >= 0
}

// certify abandons s, to which a step of unit t has led, unless every unit can keep its promises, so that no value comes
// out of thin air (rule 7.8). The others could before, and still can if the step has made a difference at no location that
// matters to them.
// docs/exploration/certifying.md, "Certifying". With keeps, t is known to keep its promises.
func (m *Machine) certify(s *State, t memmodel.Unit, changed memmodel.Loc, keeps bool) {
	for u := range s.Cast.Count() {
		if s.Mem.Promises(u) > 0 && (u == t && !keeps || u != t && m.matters(s, u, changed)) && !m.keepsPromises(s, u) {
			s.Abandoned, s.Uncertified, s.Forsworn = true, true, u == t
			return
		}
	}
}

// surelyKeeps reports whether choice c of unit u is a promise that the unit comes to easily.
func (m *Machine) surelyKeeps(s *State, u memmodel.Unit, c Choice) bool {
	return c.Promise > 1 && s.Cast.Units[u].Func >= 0 && m.soloAnyway(s, u).easy[c.Promise-2]
}

// matters reports whether what is at a location, or anywhere or nowhere, may matter to what unit u can do alone.
func (m *Machine) matters(s *State, u memmodel.Unit, x memmodel.Loc) bool {
	return x == anywhere || x != nowhere && m.Ahead(s, u, facts.Ever).Matters.Has(int(x))
}

// alone returns the fingerprint of what unit u can do alone from s.
func (m *Machine) alone(s *State, u memmodel.Unit) xxh3.Uint128 {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 256), s.Cast.ID)
	b = binary.AppendUvarint(b, uint64(u))
	b = append(b, byte(s.status[u]))
	b = binary.AppendUvarint(b, uint64(s.pc[u]))
	regs := s.reg(u)
	for i, set := range m.offers.Decides[s.Cast.Units[u].Func][s.pc[u]] {
		for ; set != 0; set &= set - 1 {
			b = binary.AppendVarint(b, regs[i<<6+bits.TrailingZeros64(set)])
		}
	}
	b = s.Mem.AppendAlone(b, u, m.Ahead(s, u, facts.Ever).Matters)
	return xxh3.Hash128(b)
}
