package state

import (
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
	easy       bool       // a unit that comes to a write alone does so with a promise of it, unless that is in its way
	pool       *sync.Pool // of *State

	mu             sync.Mutex                      // guards the rest
	keeps          map[xxh3.Uint128]bool           // whether a unit can keep its promises
	certifications map[xxh3.Uint128]*certification // what a unit comes to, and may promise
	size           int                             // of these two, in bytes
	room           int                             // bound on that
	bounded        bool                            // a unit could have promised more than the bound
	endless        bool                            // a unit's run was too long to be run to its end
}

// offer is a write that a unit may promise.
type offer struct {
	loc       memmodel.Loc // the location written
	ir.Intent              // what is written there
	pc        int          // of the write in the unit's code
}

// defaultRoom is how many bytes the machine uses for what certifying has found.
const defaultRoom = 64 << 20

// makeRoom makes room for n bytes in what is remembered, by forgetting it.
func (p *offers) makeRoom(n int) {
	if p.size += n; p.size > p.room {
		clear(p.keeps)
		clear(p.certifications)
		p.size = n
	}
}

// What an entry of a map occupies, about.
const mapEntry = 2 * (16 + 8)

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

// MayOwe reports whether unit u's next operation is a write that it could have promised.
func (q Promises) MayOwe(s *State, u memmodel.Unit) bool {
	fn := s.Cast.Units[u].Func
	return q.m.Traits.Promises && fn >= 0 && q.m.offers.Writes[fn][s.pc[u]]
}

// Looking reports whether unit u's next operation is a read that may see a write that
// another unit can still promise.
func (q Promises) Looking(s *State, u memmodel.Unit) bool { return q.m.looking(s, u) }

// Alone returns what unit u comes to if it runs alone.
func (q Promises) Alone(s *State, u memmodel.Unit) *Certification {
	return &q.m.certificationOf(s, u).Certification
}

// Work is what it takes about to know which of its writes unit u can promise, in times that it runs alone: once to find them,
// and once for each.
func (q Promises) Work(s *State, u memmodel.Unit) int {
	return 1 + len(q.m.certificationOf(s, u).writes)
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
// at a later state: that write, at any place, whether or not everybody could keep then what he owes. Where units have come or
// gone meanwhile, it calls it with none.
func (q Promises) Later(s, later *State, u memmodel.Unit, c Choice, visit func(*State)) {
	m := q.m
	if later.Cast != s.Cast { // which has other numbers
		return
	}
	p := &m.certificationAnyway(s, u).writes[c.Promise-2]
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
	m.offers.easy = m.straight() && !where.Doubts
	m.offers.pool = &sync.Pool{New: func() any { return &State{} }}
	m.offers.keeps = map[xxh3.Uint128]bool{}
	m.offers.certifications = map[xxh3.Uint128]*certification{}
}

// Where returns where promises are allowed.
func (q Promises) Where() Promisable { return q.m.offers.Promisable }

// straight reports whether nothing in the program ends an execution, or bars promises to some regions of memory and not to others.
func (m *Machine) straight() bool {
	for _, f := range m.Program.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Op == ir.OpAssume || facts.Passable(in, memmodel.Global) != facts.Passable(in, memmodel.Local) {
				return false
			}
		}
	}
	return true
}

// Unaided reports whether no promise need help another.
func (q Promises) Unaided() bool { return q.m.offers.Unaided }

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
	switch {
	case fn < 0 || !m.offers.Readers[fn][s.pc[u]]:
		return false
	case s.Cast.Units[u].Place.Host: // who may act beside kernels that are over, too
		return m.Beyond || m.DeviceQueue || len(s.Cast.threads) < len(s.Cast.Units)
	}
	return m.promisedByAnybody(s.Cast, m.Reading(s, u))
}

// promisedByAnybody reports whether some unit, wherever it is, may promise a write of location x, for all that is known. It is asked for work-items:
// these do not act beside kernels that are over.
func (m *Machine) promisedByAnybody(c *Cast, x memmodel.Loc) bool {
	if x < 0 || m.Beyond || m.DeviceQueue { // there may be others, whose promises are read
		return true
	}
	all := c.promisable.Load()
	if all == nil {
		set := make(facts.Set, (len(c.cells)+63)/64)
		for u := range c.Units {
			if unit := &c.Units[u]; unit.Func >= 0 && !unit.Place.Host {
				for pc, promised := range m.offers.Writes[unit.Func] {
					if promised {
						m.eachLocation(c, unit, pc, func(x memmodel.Loc) { set.Add(int(x)) })
					}
				}
			}
		}
		if m.Halted() { // perhaps not all of it has been found
			return true
		}
		all = &set
		c.promisable.Store(all)
	}
	return all.Has(int(x))
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
	alone := m.certificationOf(s, u)
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
// Where the unit comes to the write easily no run is needed for that.
func (m *Machine) placesOf(s *State, u memmodel.Unit, alone *certification, write int) []uint16 {
	var places []uint16
	m.offers.mu.Lock()
	if alone.places != nil {
		places = alone.places[write]
	}
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
		if try.Mem.Promise(u, p.loc, back, w) && (alone.easy[write] || m.keepsPromises(try, u)) {
			places = append(places, uint16(back))
		}
	}
	if !m.Halted() {
		m.offers.mu.Lock()
		if alone.places == nil {
			alone.places = make([][]uint16, len(alone.writes))
			m.offers.makeRoom(len(alone.writes) * int(unsafe.Sizeof(places)))
		}
		m.offers.makeRoom(2 * cap(places))
		alone.places[write] = places
		m.offers.mu.Unlock()
	}
	return places
}

// places bounds the Back of a promise.
func (p *offer) places(s *State, u memmodel.Unit) memmodel.Msg {
	if p.Takes() {
		return s.Mem.Readable(u, p.loc)
	}
	return s.Mem.Writable(u, p.loc)
}

// write returns the promise's write at a place, if it can be there.
func (p *offer) write(s *State, u memmodel.Unit, back memmodel.Msg) (w memmodel.Write, ok bool) {
	w = memmodel.Write{Val: p.B, Order: p.Order, Scope: p.Scope}
	if !p.Takes() {
		return w, s.Mem.Insertable(u, p.loc, back)
	}
	w.RMW, w.Old = true, s.Mem.Value(p.loc, back)
	w.Val, ok = p.Modified(w.Old)
	return w, ok && s.Mem.Modifiable(p.loc, back)
}

func (p *offer) words() []int64 {
	return []int64{int64(p.loc), int64(p.Op), int64(p.Alu), int64(p.Type), int64(p.Order), int64(p.Scope), p.B, p.C, int64(p.pc)}
}

// promisable returns the write that unit u is about to perform, if it is of
// the kinds that can be promised.
func (m *Machine) promisable(s *State, u memmodel.Unit) (offer, bool) {
	unit := &s.Cast.Units[u]
	if s.status[u] != Ready || !m.offers.Writes[unit.Func][s.pc[u]] {
		return offer{}, false
	}
	p, ok := m.intended(s, u)
	return p, ok && m.offers.enough(p.loc)
}

// enough reports whether writes of location x may have to be promised, by what is known of the program.
func (o *offers) enough(x memmodel.Loc) bool { return o.Enough == nil || o.Enough.Holds(int(x)) }

// intended returns the write that unit u is about to perform.
func (m *Machine) intended(s *State, u memmodel.Unit) (offer, bool) {
	unit := &s.Cast.Units[u]
	f := m.Program.Funcs[unit.Func]
	in := &f.Code[s.pc[u]]
	x := s.Cast.resolve(unit, operand(f, s.reg(u), in.A))
	if x < 0 || !s.Cast.Layout.Locs[x].Atomic {
		return offer{}, false
	}
	return offer{x, f.Intent(in, s.reg(u)), int(s.pc[u])}, true
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
	if p.Order != w.Order || p.Scope != w.Scope || w.RMW != p.Takes() {
		return false
	}
	if !w.RMW {
		return p.B == w.Val
	}
	val, ok := p.Modified(w.Old)
	return ok && val == w.Val
}

// promiseOf returns the location and the write of a choice of unit u that is a
// promise, and where in the unit's code the write is.
func (m *Machine) promiseOf(s *State, u memmodel.Unit, c Choice) (x memmodel.Loc, w memmodel.Write, pc int) {
	p := &m.certificationAnyway(s, u).writes[c.Promise-2]
	w, _ = p.write(s, u, memmodel.Msg(c.Back))
	return p.loc, w, p.pc
}

// makePromise performs a promise of unit u, and returns its location.
func (m *Machine) makePromise(s *State, u memmodel.Unit, c Choice) memmodel.Loc {
	x, w, pc := m.promiseOf(s, u, c)
	m.attend(s, u, pc)
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
	m.attend(s, u, pc)
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
