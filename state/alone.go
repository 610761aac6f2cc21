package state

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
	"github.com/zeebo/xxh3"
)

// Certifying: what a unit can do alone, and so what it may promise and whether it can keep that.
// docs/exploration.md, "Certifying".

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

// solo is a Solo as the machine remembers it.
type solo struct {
	Solo
	easy   []bool     // by write: the unit, which owes nothing, comes to it in a way that a promise of it leaves open
	places [][]uint16 // by write: the Back of each promise of it that the unit can keep; nil if nobody has asked yet
	states int        // how many states it was found in
}

// soloAt is what a unit comes to alone from where it is.
type soloAt struct {
	*solo
	by     *offers // who has found it; nil if nobody has
	pc     int32   // where the unit was then
	status Status  // and what it did
}

// bytes returns what a solo occupies.
func (o *solo) bytes() int {
	const write = unsafe.Sizeof(offer{}) + unsafe.Sizeof([]uint16{})
	return mapEntry + int(unsafe.Sizeof(*o)) + len(o.writes)*int(write+1) + 8*(len(o.Heeds)+len(o.Takes)+len(o.Again))
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
	if found.places == nil { // it had to stop
		return found
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

// comesTo finds what unit u comes to alone, unless it must stop.
func (m *Machine) comesTo(s *State, u memmodel.Unit, stop func() bool) *solo {
	key := m.alone(s, u, nil)
	m.offers.mu.Lock()
	known, ok := m.offers.solos[key]
	m.offers.mu.Unlock()
	if ok {
		return known
	}
	found, easy := &solo{}, map[offer]bool{}
	first := true // the operation that comes next is not promised but performed
	m.runAlone(s, u, false, stop, func(n *State) bool {
		found.states++
		m.noteRead(&found.Solo, s, n, u)
		if p, ok := m.promisable(n, u); ok && !first {
			if !slices.Contains(found.writes, p) {
				found.writes = append(found.writes, p)
			}
			if m.easily(s, n, u, &p) {
				p.pc = 0
				easy[p] = true
			}
		}
		first = false
		return false
	})
	if stop() {
		return &solo{} // it is not complete
	}
	found.sort()
	m.offers.mu.Lock()
	if len(found.writes) > maxOffers {
		found.writes, m.offers.endless = found.writes[:maxOffers], true
	}
	found.places, found.easy = make([][]uint16, len(found.writes)), make([]bool, len(found.writes))
	for i, p := range found.writes {
		p.pc = 0
		found.easy[i] = easy[p]
	}
	m.offers.makeRoom(found.bytes())
	m.offers.solos[key] = found
	m.offers.mu.Unlock()
	return found
}

// noteRead notes what unit u, which has come to n alone from s, is about to read.
func (m *Machine) noteRead(found *Solo, s, n *State, u memmodel.Unit) {
	x := m.Reading(n, u)
	if x < 0 {
		return
	}
	note := func(list *[]memmodel.Loc) {
		if !slices.Contains(*list, x) {
			*list = append(*list, x)
		}
	}
	if fn, pc := n.Cast.Units[u].Func, n.pc[u]; n.status[u] == Ready && m.offers.Looks[fn][pc] && m.offers.Heeds[fn][pc] {
		note(&found.Heeds)
	}
	if m.Modifying(n, u) {
		note(&found.Takes)
		if n.Mem.Messages(x) > s.Mem.Messages(x) {
			note(&found.Again)
		}
	}
}

// sort puts all in an order that does not depend on how it was found. The same write at two places is one.
func (o *Solo) sort() {
	for _, list := range [...][]memmodel.Loc{o.Heeds, o.Takes, o.Again} {
		slices.Sort(list)
	}
	slices.SortFunc(o.writes, func(a, b offer) int { return slices.Compare(a.words(), b.words()) })
	o.writes = slices.CompactFunc(o.writes, func(a, b offer) bool {
		a.pc = b.pc
		return a == b
	})
}

// keepsPromises reports whether unit u can perform all that it owes if it runs
// alone from s.
func (m *Machine) keepsPromises(s *State, u memmodel.Unit) bool {
	key := m.alone(s, u, nil)
	m.offers.mu.Lock()
	keeps, ok := m.offers.keeps[key]
	m.offers.mu.Unlock()
	if ok {
		return keeps
	}
	keeps = m.runAlone(s, u, !m.offers.Doubts, m.Halted, func(n *State) bool { return n.Mem.Promises(u) == 0 })
	if m.Halted() {
		return keeps
	}
	m.offers.mu.Lock()
	m.offers.makeRoom(mapEntry)
	m.offers.keeps[key] = keeps
	m.offers.mu.Unlock()
	return keeps
}

// certify abandons s, to which a step of unit t has led, unless every unit can keep its promises, so that no value comes
// out of thin air (rule 7.8). The others could before, and still can if the step has made a difference at no location that
// matters to them.
// docs/exploration.md, "Certifying". With keeps, t is known to keep its promises.
func (m *Machine) certify(s *State, t memmodel.Unit, changed memmodel.Loc, keeps bool) {
	for u := range s.Cast.Count() {
		if s.Mem.Promises(u) > 0 && (u == t && !keeps || u != t && m.matters(s, u, changed)) && !m.keepsPromises(s, u) {
			s.Abandoned, s.Uncertified, s.Forsworn = true, true, u == t
			return
		}
	}
}

// easily reports whether unit u, which runs alone from s and is about to perform a write at n, has come there in a way that a
// promise of the write leaves open, wherever that is put: it has neither written the location nor learnt of it
// meanwhile, and owes nothing else.
// docs/exploration.md, "Certifying".
func (m *Machine) easily(s, n *State, u memmodel.Unit, p *offer) bool {
	return m.offers.easy && s.Mem.Promises(u) == 0 && !p.Order.Releases() && n.Mem.SameView(&s.Mem, u, p.loc)
}

// surelyKeeps reports whether choice c of unit u is a promise that the unit comes to easily.
func (m *Machine) surelyKeeps(s *State, u memmodel.Unit, c Choice) bool {
	return c.Promise > 1 && s.Cast.Units[u].Func >= 0 && m.soloAnyway(s, u).easy[c.Promise-2]
}

// matters reports whether what is at a location, or anywhere or nowhere, may matter to what unit u can do alone.
func (m *Machine) matters(s *State, u memmodel.Unit, x memmodel.Loc) bool {
	return x == anywhere || x != nowhere && m.Ahead(s, u, facts.Ever).Matters.Has(int(x))
}

// alone returns the fingerprint of what unit u can do alone from s and, if it has come there
// alone from a start, of where it has written since.
func (m *Machine) alone(s *State, u memmodel.Unit, start *State) xxh3.Uint128 {
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
	if start != nil {
		for x := range s.Cast.Layout.Locs {
			if loc := memmodel.Loc(x); s.Cast.Layout.Locs[x].Atomic && s.Mem.Messages(loc) > start.Mem.Messages(loc) {
				b = append(b, byte(x), byte(x>>8))
			}
		}
	}
	return xxh3.Hash128(b)
}

// loner runs a unit alone.
type loner struct {
	m       *Machine              // that runs it
	unit    memmodel.Unit         // which one
	from    *State                // where it begins
	keeping bool                  // only to keep its promises
	todo    []*State              // those from which it has yet to go on
	seen    map[xxh3.Uint128]bool // where it has been
	reg     []int64               // scratch space: its registers before a step
}

// runAlone calls visit with the states that unit u can come to alone from s,
// without an operation that no promise may pass, until visit returns true,
// which it reports, or it must stop. With keeping, it leaves out those in which the unit cannot keep its promises any more.
func (m *Machine) runAlone(s *State, u memmodel.Unit, keeping bool, stop func() bool, visit func(*State) bool) (hit bool) {
	l := &loner{m: m, unit: u, from: s, keeping: keeping, seen: map[xxh3.Uint128]bool{m.alone(s, u, s): true}}
	start := l.state(s)
	start.solo = true
	l.todo = []*State{start}
	var choices []Choice
	for len(l.todo) > 0 && !hit && !stop() {
		n := l.todo[len(l.todo)-1]
		l.todo = l.todo[:len(l.todo)-1]
		choices = choices[:0]
		if hit = visit(n); !hit && n.status[u] == Ready && m.mayPass(n, u) {
			choices = slices.DeleteFunc(m.choicesAlone(n, u, choices), func(c Choice) bool {
				return c.Broken > 0 // nobody else is there to break the sequence
			})
		}
		l.goOn(n, choices)
		if len(l.seen) > maxAlone {
			m.offers.mu.Lock()
			m.offers.endless = true
			m.offers.mu.Unlock()
			break
		}
	}
	for _, n := range l.todo {
		m.offers.pool.Put(n)
	}
	return hit
}

// goOn adds to what there is to do the states that n, which is the loner's, leads to by these outcomes.
func (l *loner) goOn(n *State, choices []Choice) {
	if len(choices) == 1 {
		if l.step(n, choices[0], true) {
			l.todo = append(l.todo, n)
		} else {
			l.m.offers.pool.Put(n)
		}
		return
	}
	for _, c := range choices {
		if next := l.state(n); l.step(next, c, false) {
			l.todo = append(l.todo, next)
		} else {
			l.m.offers.pool.Put(next)
		}
	}
	l.m.offers.pool.Put(n)
}

// state returns a copy of a state.
func (l *loner) state(s *State) *State {
	n := l.m.offers.pool.Get().(*State)
	n.CopyFrom(s)
	return n
}

// step performs the unit's next operation, and reports whether to go on from there: unless it is where it has
// been before. Who has had only that way to go, and has gone on in the code, is not.
func (l *loner) step(n *State, c Choice, only bool) bool {
	m, u := l.m, l.unit
	pc, back := n.pc[u], m.writesBack(n, u, c)
	if back {
		l.reg = append(l.reg[:0], n.reg(u)...)
	}
	if m.Try(n, u, c); n.Abandoned || l.keeping && n.Mem.Missed(u) {
		return false
	}
	if only && n.pc[u] > pc {
		return true
	}
	n.Mem.Thin() // a wait by seq_cst loads goes round
	if back && n.status[u] != Stuck && n.pc[u] == pc && slices.Equal(l.reg, n.reg(u)) {
		return false
	}
	key := m.alone(n, u, l.from)
	if l.seen[key] {
		return false
	}
	l.seen[key] = true
	return true
}

// choicesAlone appends the outcomes of unit u's next operation that need to be followed when it runs alone: a load that makes
// no difference might as well read what the unit has seen last, as that keeps it from nothing.
func (m *Machine) choicesAlone(s *State, u memmodel.Unit, out []Choice) []Choice {
	fn, pc := s.Cast.Units[u].Func, s.pc[u]
	if m.Program.Funcs[fn].Code[pc].Op == ir.OpLoad && !m.offers.Heeds[fn][pc] && !m.Traits.SeqCst {
		if x := m.Reading(s, u); x >= 0 && !s.Mem.Blank(u, x) {
			return append(out, Choice{Back: uint16(s.Mem.Readable(u, x) - 1)})
		}
	}
	return m.Choices(s, u, out)
}

// writesBack reports whether a step of unit u is a read-modify-write that writes what it reads: as a round of
// waiting it is in vain, since others may read the write before instead, and the unit can do without the round.
func (m *Machine) writesBack(before *State, u memmodel.Unit, c Choice) bool {
	if c.Promise > 0 || !m.Modifying(before, u) {
		return false
	}
	p, ok := m.intended(before, u)
	if !ok || before.Mem.Blank(u, p.loc) {
		return false
	}
	old := before.Mem.Value(p.loc, memmodel.Msg(c.Back))
	val, writes := p.Modified(old)
	return writes && val == old
}

// mayPass reports whether a promise may be made before unit u's next operation
// and kept after it.
func (m *Machine) mayPass(s *State, u memmodel.Unit) bool {
	in := &m.Program.Funcs[s.Cast.Units[u].Func].Code[s.pc[u]]
	return facts.Passable(in, memmodel.Global) || facts.Passable(in, memmodel.Local)
}
