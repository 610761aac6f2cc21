package state

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
	"github.com/zeebo/xxh3"
)

// A work-item that is about to read may promise a write that comes later in
// its program: others see the write before the read is performed. It must be
// able to certify, after each step of anybody, that it will keep its promises:
// that it comes to the promised writes if it runs alone from here. That is what
// keeps values from coming out of thin air (rule 7.8), and at the end of an
// execution no promise may be left.

// offers is what a Machine knows of promises. It is empty when none are made.
type offers struct {
	bound      int        // on the writes that a unit owes at one time; 0: none
	Promisable            // which writes, and before which reads
	pool       *sync.Pool // of *State

	mu      sync.Mutex             // guards the rest
	keeps   map[xxh3.Uint128]bool  // whether a unit can keep its promises
	solos   map[xxh3.Uint128]*solo // what a unit comes to, and may promise
	size    int                    // of these two, in bytes
	room    int                    // bound on that
	bounded bool                   // a unit could have promised more than the bound
	endless bool                   // a unit's run was too long to be run to its end
}

// offer is a write that a unit may promise: the store of b, or a
// read-modify-write with operands b and c.
type offer struct {
	loc   memmodel.Loc   // the location written
	op    ir.Op          // what writes
	alu   ir.Alu         // of a read-modify-write: the arithmetic
	typ   ir.Type        // and its type
	order memmodel.Order // the order of the operation
	scope memmodel.Scope // and its scope
	b, c  int64          // its operands
	pc    int            // of the write in the unit's code
}

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
	places [][]uint16 // by write: the Back of each promise of it that the unit can keep; nil if nobody has asked yet
	states int        // how many states it was found in
}

// Bounds: on the states of a unit that runs alone, and on the writes that it may
// promise at one place.
const (
	maxAlone  = 1 << 12
	maxOffers = 1<<8 - 2 // which Choice.Promise can tell apart
)

// defaultRoom is how many bytes the machine uses for what certifying has found.
const defaultRoom = 64 << 20

// makeRoom makes room for n bytes in what is remembered, by forgetting it.
func (p *offers) makeRoom(n int) {
	if p.size += n; p.size > p.room {
		clear(p.keeps)
		clear(p.solos)
		p.size = n
	}
}

// What an entry of a map occupies, about.
const mapEntry = 2 * (16 + 8)

// bytes returns what a solo occupies.
func (o *solo) bytes() int {
	const write = unsafe.Sizeof(offer{}) + unsafe.Sizeof([]uint16{})
	return mapEntry + int(unsafe.Sizeof(*o)) + len(o.writes)*int(write) + 8*(len(o.Heeds)+len(o.Takes)+len(o.Again))
}

// Promises answers what there is to know of the promises of a machine's units.
type Promises struct{ m *Machine }

// Promises returns what answers for the machine.
func (m *Machine) Promises() Promises { return Promises{m} }

// Over reports whether no promise is owed nor can matter any more from s on: what
// follows is as if there were none.
func (q Promises) Over(s *State) bool { return q.m.promisesOver(s) }

// May reports whether unit u may promise a write: it owes one already or is about to
// read where that can matter. What it can promise may depend on all of memory.
func (q Promises) May(s *State, u memmodel.Unit) bool { return q.m.promising(s, u) }

// MayLook reports whether unit u's next operation is one that might see a promise in
// this state or, if it comes earlier in the execution, in another.
func (q Promises) MayLook(s *State, u memmodel.Unit) bool { return q.m.mayLook(s, u) }

// Looking reports whether unit u's next operation is a read that may see a write that
// another unit can still promise.
func (q Promises) Looking(s *State, u memmodel.Unit) bool { return q.m.looking(s, u) }

// Alone returns what unit u comes to if it runs alone.
func (q Promises) Alone(s *State, u memmodel.Unit) *Solo { return &q.m.solo(s, u).Solo }

// Work is what it takes about to know which of its writes unit u can promise, in states of its running alone: all that it
// comes to, for each.
func (q Promises) Work(s *State, u memmodel.Unit) int {
	o := q.m.solo(s, u)
	return o.states * (1 + len(o.writes))
}

// Offers appends the promises that unit u may make now, of writes of location x
// or, if that is negative, of any: of the writes that it can come to alone,
// each place in modification order at which, again alone, it can keep the promise.
func (q Promises) Offers(s *State, u memmodel.Unit, x memmodel.Loc, out []Choice) []Choice {
	return q.m.offersOf(s, u, func(y memmodel.Loc) bool { return x < 0 || x == y }, out)
}

// OffersOf is Offers for the locations that are wanted.
func (q Promises) OffersOf(s *State, u memmodel.Unit, wanted func(x memmodel.Loc) bool, out []Choice) []Choice {
	return q.m.offersOf(s, u, wanted, out)
}

// Later calls visit with the states that the promise which choice c of unit u makes at s would lead to if it were made
// at a later state: that write, at any place, whether or not everybody could keep then what he owes.
func (q Promises) Later(s, later *State, u memmodel.Unit, c Choice, visit func(*State)) {
	m := q.m
	p := &m.soloAnyway(s, u).writes[c.Promise-2]
	try := m.offers.pool.Get().(*State)
	defer m.offers.pool.Put(try)
	for back := range p.places(later, u) {
		w, ok := p.write(later, u, back)
		if !ok {
			continue
		}
		try.CopyFrom(later)
		if try.Mem.Promise(u, p.loc, back, w) {
			visit(try)
		}
	}
}

// Of returns the location and the write of a choice of unit u that is a promise, and
// where in the unit's code the write is.
func (q Promises) Of(s *State, u memmodel.Unit, c Choice) (x memmodel.Loc, w memmodel.Write, pc int) {
	return q.m.promiseOf(s, u, c)
}

// Allow lets each work-item owe up to n writes at a time, where that can make
// a difference. It must be called before the machine has made a state.
func (q Promises) Allow(n int, where Promisable) {
	m := q.m
	m.offers.room = defaultRoom
	m.Traits.Promises = true
	m.offers.bound = n
	m.offers.Promisable = where
	m.offers.pool = &sync.Pool{New: func() any { return &State{} }}
	m.offers.keeps = map[xxh3.Uint128]bool{}
	m.offers.solos = map[xxh3.Uint128]*solo{}
}

// Remember lets the machine use no more than about so many bytes for what certifying
// has found, and returns how many that are: not more than it needs.
func (q Promises) Remember(bytes int) int {
	m := q.m
	m.offers.room = min(bytes, defaultRoom)
	m.offers.makeRoom(0)
	return m.offers.room
}

// Limits reports whether a unit could have owed more writes than the
// bound allows, and whether one could have run alone for longer than the
// machine follows. In either case executions are missing.
func (q Promises) Limits() (bounded, endless bool) {
	m := q.m
	m.offers.mu.Lock()
	defer m.offers.mu.Unlock()
	return m.offers.bounded, m.offers.endless
}

// Promises returns how many writes unit u owes.
func (s *State) Promises(u memmodel.Unit) int { return s.Mem.Promises(u) }

// promising reports whether unit u may promise a write: it owes one already or
// is about to read where that can matter. What it can promise may depend on
// all of memory.
func (m *Machine) promising(s *State, u memmodel.Unit) bool {
	return m.Traits.Promises && s.status[u] == Ready && (m.mayPromise(s, u) || s.Mem.Promises(u) > 0)
}

// looking reports whether unit u's next operation is a read that may see a
// write that another unit can still promise.
func (m *Machine) looking(s *State, u memmodel.Unit) bool {
	if !m.mayLook(s, u) {
		return false
	}
	x := m.Reading(s, u)
	if x < 0 {
		return false
	}
	for w := range s.Cast.Count() {
		if w == u {
			continue
		}
		if promised := m.promiseLocs(s, w); promised != nil && promised.Has(int(x)) && m.buffers(s, w) {
			return true
		}
	}
	return false
}

// mayLook reports whether unit u's next operation is one that might see a promise in
// this state or, if it comes earlier in the execution, in another.
func (m *Machine) mayLook(s *State, u memmodel.Unit) bool {
	if !m.Traits.Promises || s.status[u] != Ready {
		return false
	}
	fn := s.Cast.Units[u].Func
	return fn >= 0 && m.offers.Looks[fn][s.pc[u]]
}

// mayPromise reports whether unit u's next operation is one before which it may
// promise a write.
func (m *Machine) mayPromise(s *State, u memmodel.Unit) bool {
	unit := &s.Cast.Units[u]
	return unit.Func >= 0 && !unit.Place.Host && m.offers.Reads[unit.Func][s.pc[u]] && m.buffers(s, u)
}

// offersOf appends the promises that unit u may make now, of writes of the locations
// that are wanted: of the writes that it can come to alone, each place in modification
// order at which, again alone, it can keep the promise.
func (m *Machine) offersOf(s *State, u memmodel.Unit, wanted func(x memmodel.Loc) bool, out []Choice) []Choice {
	if !m.mayOffer(s, u, wanted) || !m.promising(s, u) {
		return out
	}
	full, before := s.Mem.Promises(u) >= m.offers.bound, len(out)
	alone := m.solo(s, u)
	for i := range alone.writes {
		if !wanted(alone.writes[i].loc) {
			continue
		}
		places := m.placesOf(s, u, alone, i)
		if m.Halted() {
			return out[:before]
		}
		if full && len(places) > 0 {
			m.offers.mu.Lock()
			m.offers.bounded = true
			m.offers.mu.Unlock()
			return out
		}
		for _, back := range places {
			out = append(out, Choice{Back: back, Promise: uint8(i + 2)})
		}
	}
	return out
}

// mayOffer reports whether unit u may still promise a write of a location that is wanted.
func (m *Machine) mayOffer(s *State, u memmodel.Unit, wanted func(x memmodel.Loc) bool) bool {
	for i, set := range m.promiseLocs(s, u) {
		for ; set != 0; set &= set - 1 {
			if wanted(memmodel.Loc(i<<6 + bits.TrailingZeros64(set))) {
				return true
			}
		}
	}
	return false
}

// placesOf returns the Back of each promise of a write that unit u comes to alone that it can keep, again alone:
// all that by which its solo is remembered decides that, too.
func (m *Machine) placesOf(s *State, u memmodel.Unit, alone *solo, write int) []uint16 {
	m.offers.mu.Lock()
	places := alone.places[write]
	m.offers.mu.Unlock()
	if places != nil {
		return places
	}
	places = []uint16{}
	try := m.offers.pool.Get().(*State)
	defer m.offers.pool.Put(try)
	p := &alone.writes[write]
	for back := range p.places(s, u) {
		w, ok := p.write(s, u, back)
		if !ok {
			continue
		}
		try.CopyFrom(s)
		if try.Mem.Promise(u, p.loc, back, w) && m.keepsPromises(try, u) {
			places = append(places, uint16(back))
		}
	}
	if !m.Halted() {
		m.offers.mu.Lock()
		m.offers.makeRoom(2 * cap(places))
		alone.places[write] = places
		m.offers.mu.Unlock()
	}
	return places
}

// places bounds the Back of a promise.
func (p *offer) places(s *State, u memmodel.Unit) memmodel.Msg {
	if p.op == ir.OpStore {
		return s.Mem.Writable(u, p.loc)
	}
	return s.Mem.Readable(u, p.loc)
}

// write returns the promise's write at a place, if it can be there.
func (p *offer) write(s *State, u memmodel.Unit, back memmodel.Msg) (w memmodel.Write, ok bool) {
	w = memmodel.Write{Val: p.b, Order: p.order, Scope: p.scope}
	if p.op == ir.OpStore {
		return w, s.Mem.Insertable(u, p.loc, back)
	}
	w.RMW, w.Old = true, s.Mem.Value(p.loc, back)
	w.Val, ok = p.modified(w.Old)
	return w, ok && s.Mem.Modifiable(p.loc, back)
}

// modified returns what a read-modify-write makes of a value, and whether it
// writes at all.
func (p *offer) modified(old int64) (val int64, ok bool) {
	if p.op == ir.OpCmpXchg {
		return p.c, old == p.b
	}
	val, _ = ir.Eval(p.alu, p.typ, old, p.b)
	return val, true
}

// solo returns what unit u comes to alone, or nothing when the machine is halted.
func (m *Machine) solo(s *State, u memmodel.Unit) *solo { return m.comesTo(s, u, m.Halted) }

// soloAnyway is solo where it must be told, halted or not: what a promise is.
func (m *Machine) soloAnyway(s *State, u memmodel.Unit) *solo { return m.comesTo(s, u, never) }

// Forbids reports whether a promise of a write of one of these locations may forbid what was
// allowed before: a read-modify-write takes a message, what is seq_cst constrains S.
func (o *Solo) Forbids(locs facts.Set) bool {
	return slices.ContainsFunc(o.writes, func(p offer) bool {
		return locs.Has(int(p.loc)) && (p.op != ir.OpStore || p.order == memmodel.SeqCst)
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
	found := &solo{}
	first := true // the operation that comes next is not promised but performed
	m.runAlone(s, u, stop, func(n *State) bool {
		found.states++
		if fn, pc := n.Cast.Units[u].Func, n.pc[u]; n.status[u] == Ready && m.offers.Looks[fn][pc] && m.offers.Heeds[fn][pc] {
			if x := m.Reading(n, u); !slices.Contains(found.Heeds, x) {
				found.Heeds = append(found.Heeds, x)
			}
		}
		if p, ok := m.promisable(n, u); ok && !first && !slices.Contains(found.writes, p) {
			found.writes = append(found.writes, p)
		}
		if x := m.Reading(n, u); x >= 0 && m.Modifying(n, u) {
			if !slices.Contains(found.Takes, x) {
				found.Takes = append(found.Takes, x)
			}
			if n.Mem.Messages(x) > s.Mem.Messages(x) && !slices.Contains(found.Again, x) {
				found.Again = append(found.Again, x)
			}
		}
		first = false
		return false
	})
	for _, list := range [...][]memmodel.Loc{found.Heeds, found.Takes, found.Again} {
		slices.Sort(list)
	}
	slices.SortFunc(found.writes, func(a, b offer) int { return slices.Compare(a.words(), b.words()) })
	found.writes = slices.CompactFunc(found.writes, func(a, b offer) bool { // the same write at two places is one
		a.pc = b.pc
		return a == b
	})
	if stop() {
		return &solo{} // it is not complete
	}
	m.offers.mu.Lock()
	if len(found.writes) > maxOffers {
		found.writes, m.offers.endless = found.writes[:maxOffers], true
	}
	found.places = make([][]uint16, len(found.writes))
	m.offers.makeRoom(found.bytes())
	m.offers.solos[key] = found
	m.offers.mu.Unlock()
	return found
}

func (p *offer) words() []int64 {
	return []int64{int64(p.loc), int64(p.op), int64(p.alu), int64(p.typ), int64(p.order), int64(p.scope), p.b, p.c, int64(p.pc)}
}

// promisable returns the write that unit u is about to perform, if it is of
// the kinds that can be promised.
func (m *Machine) promisable(s *State, u memmodel.Unit) (offer, bool) {
	unit := &s.Cast.Units[u]
	if s.status[u] != Ready || !m.offers.Writes[unit.Func][s.pc[u]] {
		return offer{}, false
	}
	return m.intended(s, u)
}

// intended returns the write that unit u is about to perform.
func (m *Machine) intended(s *State, u memmodel.Unit) (offer, bool) {
	unit := &s.Cast.Units[u]
	f := m.Program.Funcs[unit.Func]
	in := &f.Code[s.pc[u]]
	x := s.Cast.resolve(unit, operand(f, s.reg(u), in.A))
	if x < 0 || !s.Cast.Layout.Locs[x].Atomic {
		return offer{}, false
	}
	p := offer{loc: x, pc: int(s.pc[u]), op: in.Op, order: in.Order, scope: in.Scope, b: operand(f, s.reg(u), in.B)}
	switch in.Op {
	case ir.OpRMW:
		p.alu, p.typ = in.Alu, in.Type
	case ir.OpCmpXchg:
		p.c = operand(f, s.reg(u), in.C)
	}
	return p, true
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
	keeps = m.runAlone(s, u, m.Halted, func(n *State) bool { return n.Mem.Promises(u) == 0 })
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
// docs/exploration.md, "Certifying".
func (m *Machine) certify(s *State, t memmodel.Unit, changed memmodel.Loc) {
	for u := range s.Cast.Count() {
		if s.Mem.Promises(u) > 0 && (u == t || m.matters(s, u, changed)) && !m.keepsPromises(s, u) {
			s.Abandoned, s.Uncertified = true, true
			return
		}
	}
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

// runAlone calls visit with the states that unit u can come to alone from s,
// without an operation that no promise may pass, until visit returns true,
// which it reports, or it must stop.
func (m *Machine) runAlone(s *State, u memmodel.Unit, stop func() bool, visit func(*State) bool) bool {
	start := m.offers.pool.Get().(*State)
	start.CopyFrom(s)
	start.solo = true
	stack := []*State{start}
	seen := map[xxh3.Uint128]bool{m.alone(s, u, s): true}
	var choices []Choice
	hit := false
	for len(stack) > 0 && !hit {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if hit = visit(n); !hit && n.status[u] == Ready && m.mayPass(n, u) {
			choices = m.choicesAlone(n, u, choices[:0])
			for _, c := range choices {
				if c.Broken > 0 {
					continue // nobody else is there to break the sequence
				}
				next := m.offers.pool.Get().(*State)
				next.CopyFrom(n)
				m.Try(next, u, c)
				next.Mem.Thin() // a wait by seq_cst loads goes round
				if key := m.alone(next, u, s); !next.Abandoned && !seen[key] && !m.inVain(n, next, u, c) {
					seen[key] = true
					stack = append(stack, next)
				} else {
					m.offers.pool.Put(next)
				}
			}
		}
		m.offers.pool.Put(n)
		if stop() {
			break
		}
		if len(seen) > maxAlone {
			m.offers.mu.Lock()
			m.offers.endless = true
			m.offers.mu.Unlock()
			break
		}
	}
	for _, n := range stack {
		m.offers.pool.Put(n)
	}
	return hit
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

// inVain reports whether the step of unit u from before to after was a round of
// waiting in which a read-modify-write wrote what it read: others may read the write
// before instead, and the unit can do without the round. A unit that is stuck has read
// what nobody has written, or touched what it must not.
func (m *Machine) inVain(before, after *State, u memmodel.Unit, c Choice) bool {
	if c.Promise > 0 || !m.Modifying(before, u) || after.status[u] == Stuck || after.pc[u] != before.pc[u] || !slices.Equal(before.reg(u), after.reg(u)) {
		return false
	}
	p, ok := m.intended(before, u)
	if !ok {
		return false
	}
	old := before.Mem.Value(p.loc, memmodel.Msg(c.Back))
	val, writes := p.modified(old)
	return writes && val == old
}

// mayPass reports whether a promise may be made before unit u's next operation
// and kept after it.
func (m *Machine) mayPass(s *State, u memmodel.Unit) bool {
	in := &m.Program.Funcs[s.Cast.Units[u].Func].Code[s.pc[u]]
	return facts.Passable(in, memmodel.Global) || facts.Passable(in, memmodel.Local)
}

// barred reports whether unit u's next operation must not come before a write
// that it owes.
func (m *Machine) barred(s *State, u memmodel.Unit, in *ir.Instr, c Choice) bool {
	if s.Mem.Promises(u) == 0 {
		return false
	}
	switch {
	case in.Op.Access():
		f := m.Program.Funcs[s.Cast.Units[u].Func]
		x := s.Cast.resolve(&s.Cast.Units[u], operand(f, s.reg(u), in.A))
		order := in.Order
		if c.Fail {
			order = in.FailOrder
		}
		writes := in.Op != ir.OpLoad && !c.Fail
		return x >= 0 && s.Mem.AccessBarred(u, x, writes && order.Releases(), order)
	case in.Op == ir.OpFence:
		return s.Mem.FenceBarred(u, in.Flags, in.Order)
	}
	return !facts.Passable(in, memmodel.Global) // nor into any other memory
}

// fulfils appends the promises that unit u may keep by its next operation.
func (m *Machine) fulfils(s *State, u memmodel.Unit, out []Choice) []Choice {
	p, _ := m.intended(s, u)
	var buf [8]memmodel.Owed
	for _, w := range s.Mem.Owes(u, p.loc, buf[:0]) {
		if !p.makes(&w.Write) {
			continue
		}
		cuts := 1
		if w.RMW && !w.Order.Releases() {
			cuts = s.Mem.Cuts(u, p.loc, w.Back)
		}
		for broken := range cuts {
			out = append(out, Choice{Back: uint16(w.Back), Broken: uint8(broken), Promise: 1})
		}
	}
	return out
}

// makes reports whether the operation makes the write.
func (p *offer) makes(w *memmodel.Write) bool {
	if p.order != w.Order || p.scope != w.Scope || w.RMW != (p.op != ir.OpStore) {
		return false
	}
	if !w.RMW {
		return p.b == w.Val
	}
	val, ok := p.modified(w.Old)
	return ok && val == w.Val
}

// promiseOf returns the location and the write of a choice of unit u that is a
// promise, and where in the unit's code the write is.
func (m *Machine) promiseOf(s *State, u memmodel.Unit, c Choice) (x memmodel.Loc, w memmodel.Write, pc int) {
	p := &m.soloAnyway(s, u).writes[c.Promise-2]
	w, _ = p.write(s, u, memmodel.Msg(c.Back))
	return p.loc, w, p.pc
}

// makePromise performs a promise of unit u, and returns its location.
func (m *Machine) makePromise(s *State, u memmodel.Unit, c Choice) memmodel.Loc {
	x, w, pc := m.promiseOf(s, u, c)
	s.Mem.Fault = memmodel.Fault{}
	if !s.Mem.Promise(u, x, memmodel.Msg(c.Back), w) {
		s.Abandoned = true
	}
	m.blame(s, u, pc)
	return x
}

// keep performs the operation that keeps a promise, and returns its location.
func (m *Machine) keep(s *State, u memmodel.Unit, in *ir.Instr, c Choice) memmodel.Loc {
	pc := int(s.pc[u])
	p, _ := m.intended(s, u)
	var buf [8]memmodel.Owed
	owed := s.Mem.Owes(u, p.loc, buf[:0])
	i := slices.IndexFunc(owed, func(w memmodel.Owed) bool { return p.makes(&w.Write) && w.Back == memmodel.Msg(c.Back) })
	w := owed[i]
	s.Mem.Fault = memmodel.Fault{}
	s.Mem.Fulfil(u, p.loc, int(c.Broken), w)
	if s.Mem.AccessBarred(u, p.loc, in.Order.Releases(), in.Order) {
		s.Abandoned = true
		return p.loc
	}
	switch in.Op {
	case ir.OpRMW:
		set(s.reg(u), in.Dst, w.Old)
	case ir.OpCmpXchg:
		set(s.reg(u), in.Dst2, w.Old)
		set(s.reg(u), in.Dst, 1)
	}
	m.blame(s, u, pc)
	return p.loc
}
