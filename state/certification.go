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

// Certification is what a unit can do if it runs alone.
type Certification struct {
	writes       []offer        // in a fixed order
	ValueMatters []memmodel.Loc // the locations that it reads where a promise would make a difference to it
	Takes        []memmodel.Loc // those of which it modifies a message
	Again        []memmodel.Loc // of these, those that it modifies after it has written them
}

// certification is a Certification as the machine remembers it, for all units that are in the same state alone.
type certification struct {
	*common
	places [][]uint16 // by write: the Back of each promise of it that the unit can keep; nil if nobody has asked yet
}

// certificationKey is a unit's certification with what it is valid for.
type certificationKey struct {
	*certification
	by     *offers // who has found it; nil if nobody has
	pc     int32   // where the unit was then
	status Status  // and what it did
}

// common is the part of a certification that many states share.
type common struct {
	Certification
	easy []bool // by write: the unit, which owes nothing, comes to it in a way that a promise of it leaves open
}

// What a solo occupies, and what it has in common with others.
const certificationEntry = mapEntry + int(unsafe.Sizeof(certification{}))

func (o *common) bytes() int {
	return int(unsafe.Sizeof(*o)) + len(o.writes)*int(unsafe.Sizeof(offer{})+1) + 8*(len(o.ValueMatters)+len(o.Takes)+len(o.Again))
}

// certificationOf returns what unit u can do alone, or nothing if the machine is halted.
func (m *Machine) certificationOf(s *State, u memmodel.Unit) *certification {
	return m.certificationUnless(s, u, m.Halted)
}

// certificationAnyway is certificationOf even if the machine is halted. It decodes promises.
func (m *Machine) certificationAnyway(s *State, u memmodel.Unit) *certification {
	return m.certificationUnless(s, u, never)
}

// certificationUnless is certificationOf, empty if it is not known yet and stop ends the search for it.
func (m *Machine) certificationUnless(s *State, u memmodel.Unit, stop func() bool) *certification {
	if int(u) < len(s.alone) {
		if at := &s.alone[u]; at.by == &m.offers && at.pc == s.pc[u] && at.status == s.status[u] {
			return at.certification
		}
	}
	found := m.comesTo(s, u, stop)
	if found == nil { // it had to stop
		return &certification{common: &common{}}
	}
	if len(s.alone) == 0 {
		s.alone = zeroed(s.alone, len(s.pc))
	}
	s.alone[u] = certificationKey{found, &m.offers, s.pc[u], s.status[u]}
	return found
}

// forgetAlone drops the certifications that a step of unit t at location x may have changed: that of t, and those
// of units to which the location matters.
func (m *Machine) forgetAlone(s *State, t memmodel.Unit, x memmodel.Loc) {
	for u := range memmodel.Unit(len(s.alone)) {
		if u == t || m.matters(s, u, x) {
			s.alone[u] = certificationKey{}
		}
	}
}

// Forbids reports whether a promised write to one of these locations may forbid what was allowed before: a
// read-modify-write takes a message, and a seq_cst write constrains S.
func (o *Certification) Forbids(locs facts.Set) bool {
	return slices.ContainsFunc(o.writes, func(p offer) bool {
		return locs.Has(int(p.loc)) && (p.Takes() || p.Order == memmodel.SeqCst)
	})
}

func never() bool { return false }

// comesTo computes what unit u can do alone, or nil if stop ends that.
func (m *Machine) comesTo(s *State, u memmodel.Unit, stop func() bool) *certification {
	key := m.alone(s, u)
	m.offers.mu.Lock()
	known, ok := m.offers.certifications[key]
	m.offers.mu.Unlock()
	if ok {
		return known
	}
	l := m.certifier(u)
	l.runFrom(s, key, stop)
	if stop() {
		return nil // it is not complete
	}
	return l.remember()
}

// keepsPromises reports whether unit u fulfils all its promises if it runs alone from s.
func (m *Machine) keepsPromises(s *State, u memmodel.Unit) bool {
	key := m.alone(s, u)
	m.offers.mu.Lock()
	keeps, ok := m.offers.keeps[key]
	m.offers.mu.Unlock()
	if ok {
		return keeps
	}
	l := m.certifier(u)
	l.keeping = true
	l.runFrom(s, key, m.Halted)
	if !m.Halted() {
		l.rememberKept()
	}
	return l.kept >= 0
}

// certify abandons s, to which a step of unit t has led, unless each unit can fulfil its promises, so that no
// value comes out of thin air (rule 7.8). The other units could before the step, and still can if it has changed
// no location that matters to them. keeps says that t is known to fulfil its promises.
// docs/exploration/certifying.md, "Certifying". With keeps, t is known to keep its promises.
func (m *Machine) certify(s *State, t memmodel.Unit, changed memmodel.Loc, keeps bool) {
	for u := range s.Cast.Count() {
		if s.Mem.Promises(u) > 0 && (u == t && !keeps || u != t && m.matters(s, u, changed)) && !m.keepsPromises(s, u) {
			s.Abandoned, s.Uncertified, s.CertificationFailed = true, true, u == t
			return
		}
	}
}

// surelyKeeps reports whether choice c of unit u is a promise that needs no search: the unit reaches the write
// without a step that a promise could disturb.
func (m *Machine) surelyKeeps(s *State, u memmodel.Unit, c Choice) bool {
	return c.Promise > 1 && s.Cast.Units[u].Func >= 0 && m.certificationAnyway(s, u).easy[c.Promise-2]
}

// matters reports whether the content of location x matters to what unit u can do alone. x may be anywhere or
// nowhere.
func (m *Machine) matters(s *State, u memmodel.Unit, x memmodel.Loc) bool {
	return x == anywhere || x != nowhere && m.Ahead(s, u, facts.Ever).Matters.Has(int(x))
}

// alone returns the fingerprint of all that unit u's behaviour alone depends on.
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
