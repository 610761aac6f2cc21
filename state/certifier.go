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
//
// A promise goes this way. When it can matter: matters.go. What its unit may promise, since it comes to that alone, and whether it
// can keep it: here; what it comes to alone: alone.go. What it is to make a promise, and to keep it: step.go.

// Certifier knows what the units of a machine can do alone: which writes they may promise, and whether they can keep what they owe.
// It is empty where no promises are made. It is safe for concurrent use.
// docs/exploration/certifying.md, "Certifying".
type Certifier struct {
	m     *Machine   // whose units they are
	bound int        // on the writes that a unit owes at one time; 0: none
	where Promisable // which writes, and before which reads
	easy  bool       // a unit that comes to a write alone does so with a promise of it, unless that is in its way
	pool  *sync.Pool // of *State

	mu             sync.Mutex                      // guards the rest
	keeps          map[xxh3.Uint128]bool           // whether a unit can keep its promises
	certifications map[xxh3.Uint128]*certification // what a unit comes to, and may promise
	size           int                             // of these two, in bytes
	room           int                             // bound on that
	bounded        bool                            // a unit could have promised more than the bound
	endless        bool                            // a unit's run was too long to be run to its end
}

// Promises returns what certifies for the machine's units.
func (m *Machine) Promises() *Certifier { return &m.certifier }

// Allow lets each work-item owe up to n writes at a time, where that can make
// a difference. It must be called before the machine has made a state.
func (q *Certifier) Allow(n int, where Promisable) {
	q.room = defaultRoom
	q.m.Traits.Promises = true
	q.bound = n
	q.where = where
	q.easy = q.straight() && !where.Doubts
	q.pool = &sync.Pool{New: func() any { return &State{} }}
	q.keeps = map[xxh3.Uint128]bool{}
	q.certifications = map[xxh3.Uint128]*certification{}
}

// straight reports whether nothing in the program ends an execution, or bars promises to some regions of memory and not to others.
func (q *Certifier) straight() bool {
	for _, f := range q.m.Program.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Op == ir.OpAssume || facts.Passable(in, memmodel.Global) != facts.Passable(in, memmodel.Local) {
				return false
			}
		}
	}
	return true
}

// Where returns where promises are allowed.
func (q *Certifier) Where() Promisable { return q.where }

// Unaided reports whether no promise need help another.
func (q *Certifier) Unaided() bool { return q.where.Unaided }

// Limits reports whether a unit could have owed more writes than the
// bound allows, and whether one could have run alone for longer than the
// machine follows. In either case executions are missing.
func (q *Certifier) Limits() (bounded, endless bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bounded, q.endless
}

// Promises returns how many writes unit u owes.
func (s *State) Promises(u memmodel.Unit) int { return s.Mem.Promises(u) }

// offer is a write that a unit may promise.
type offer struct {
	loc       memmodel.Loc // the location written
	ir.Intent              // what is written there
	pc        int          // of the write in the unit's code
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

// words are what writes are ordered by.
func (p *offer) words() []int64 {
	return []int64{int64(p.loc), int64(p.Op), int64(p.Alu), int64(p.Type), int64(p.Order), int64(p.Scope), p.B, p.C, int64(p.pc)}
}

// at returns the same write at another place of the code.
func (p offer) at(pc int) offer {
	p.pc = pc
	return p
}

// Offers appends the promises that unit u may make now, of writes of location x
// or, if that is negative, of any: see OffersOf.
func (q *Certifier) Offers(s *State, u memmodel.Unit, x memmodel.Loc, out []Choice) []Choice {
	return q.OffersOf(s, u, func(y memmodel.Loc) bool { return x < 0 || x == y }, out)
}

// OffersOf appends the promises that unit u may make now, of writes of the locations
// that are wanted: of the writes that it can come to alone, each place in modification
// order at which, again alone, it can keep the promise.
func (q *Certifier) OffersOf(s *State, u memmodel.Unit, wanted func(x memmodel.Loc) bool, out []Choice) []Choice {
	if !q.mayOffer(s, u, wanted) || !q.May(s, u) {
		return out
	}
	full, before := s.Mem.Promises(u) >= q.bound, len(out)
	alone := q.certificationOf(s, u)
	for i := range alone.writes {
		if !wanted(alone.writes[i].loc) {
			continue
		}
		places := q.placesOf(s, u, alone, i)
		if q.m.Halted() {
			return out[:before]
		}
		if full && len(places) > 0 {
			q.mu.Lock()
			q.bounded = true
			q.mu.Unlock()
			return out
		}
		for _, back := range places {
			out = append(out, Choice{Back: back, Promise: uint8(i + 2)})
		}
	}
	return out
}

// mayOffer reports whether unit u may still promise a write of a location that is wanted.
func (q *Certifier) mayOffer(s *State, u memmodel.Unit, wanted func(x memmodel.Loc) bool) bool {
	for i, set := range q.promiseLocs(s, u) {
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
func (q *Certifier) placesOf(s *State, u memmodel.Unit, alone *certification, write int) []uint16 {
	var places []uint16
	q.mu.Lock()
	if alone.places != nil {
		places = alone.places[write]
	}
	q.mu.Unlock()
	if places != nil {
		return places
	}
	places = []uint16{}
	try := q.pool.Get().(*State)
	defer q.pool.Put(try)
	p := &alone.writes[write]
	for back := range p.places(s, u) {
		w, ok := p.write(s, u, back)
		if !ok {
			continue
		}
		try.CopyFrom(s)
		if try.Mem.Promise(u, p.loc, back, w) && (alone.easy[write] || q.keepsPromises(try, u)) {
			places = append(places, uint16(back))
		}
	}
	if !q.m.Halted() {
		q.mu.Lock()
		if alone.places == nil {
			alone.places = make([][]uint16, len(alone.writes))
			q.makeRoom(len(alone.writes) * int(unsafe.Sizeof(places)))
		}
		q.makeRoom(2 * cap(places))
		alone.places[write] = places
		q.mu.Unlock()
	}
	return places
}

// Later calls visit with the states that the promise which choice c of unit u makes at s would lead to if it were made
// at a later state: that write, at any place, whether or not everybody could keep then what he owes. Where units have come or
// gone meanwhile, it calls it with none.
func (q *Certifier) Later(s, later *State, u memmodel.Unit, c Choice, visit func(*State)) {
	if later.Cast != s.Cast { // which has other numbers
		return
	}
	p := &q.certificationAnyway(s, u).writes[c.Promise-2]
	try := q.pool.Get().(*State)
	defer q.pool.Put(try)
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
func (q *Certifier) Of(s *State, u memmodel.Unit, c Choice) (x memmodel.Loc, w memmodel.Write, pc int) {
	p := &q.certificationAnyway(s, u).writes[c.Promise-2]
	w, _ = p.write(s, u, memmodel.Msg(c.Back))
	return p.loc, w, p.pc
}

// Alone returns what unit u comes to if it runs alone.
func (q *Certifier) Alone(s *State, u memmodel.Unit) *Certification {
	return &q.certificationOf(s, u).Certification
}

// Work is what it takes about to know which of its writes unit u can promise, in times that it runs alone: once to find them,
// and once for each.
func (q *Certifier) Work(s *State, u memmodel.Unit) int {
	return 1 + len(q.certificationOf(s, u).writes)
}

// Certification is what a unit can do if it runs alone.
type Certification struct {
	writes       []offer        // in a fixed order
	ValueMatters []memmodel.Loc // the locations that it reads where a promise would make a difference to it
	Takes        []memmodel.Loc // those of which it modifies a message
	Again        []memmodel.Loc // of these, those that it modifies after it has written them
}

// Forbids reports whether a promised write to one of these locations may forbid what was allowed before: a
// read-modify-write takes a message, and a seq_cst write constrains S.
func (o *Certification) Forbids(locs facts.Set) bool {
	return slices.ContainsFunc(o.writes, func(p offer) bool {
		return locs.Has(int(p.loc)) && (p.Takes() || p.Order == memmodel.SeqCst)
	})
}

// certification is a Certification as the machine remembers it, for all units that are in the same state alone.
type certification struct {
	*common
	places [][]uint16 // by write: the Back of each promise of it that the unit can keep; nil if nobody has asked yet
}

// certificationKey is a unit's certification with what it is valid for.
type certificationKey struct {
	*certification
	by     *Certifier // who has found it; nil if nobody has
	pc     int32      // where the unit was then
	status Status     // and what it did
}

// common is the part of a certification that many states share.
type common struct {
	Certification
	easy []bool // by write: the unit, which owes nothing, comes to it in a way that a promise of it leaves open
}

// certificationOf returns what unit u can do alone, or nothing if the machine is halted.
func (q *Certifier) certificationOf(s *State, u memmodel.Unit) *certification {
	return q.certificationUnless(s, u, q.m.Halted)
}

// certificationAnyway is certificationOf even if the machine is halted. It decodes promises.
func (q *Certifier) certificationAnyway(s *State, u memmodel.Unit) *certification {
	return q.certificationUnless(s, u, never)
}

// certificationUnless is certificationOf, empty if it is not known yet and stop ends the search for it.
func (q *Certifier) certificationUnless(s *State, u memmodel.Unit, stop func() bool) *certification {
	if int(u) < len(s.alone) {
		if at := &s.alone[u]; at.by == q && at.pc == s.pc[u] && at.status == s.status[u] {
			return at.certification
		}
	}
	found := q.comesTo(s, u, stop)
	if found == nil { // it had to stop
		return &certification{common: &common{}}
	}
	if len(s.alone) == 0 {
		s.alone = zeroed(s.alone, len(s.pc))
	}
	s.alone[u] = certificationKey{found, q, s.pc[u], s.status[u]}
	return found
}

// comesTo computes what unit u can do alone, or nil if stop ends that.
func (q *Certifier) comesTo(s *State, u memmodel.Unit, stop func() bool) *certification {
	key := q.alone(s, u)
	if known, ok := recall(q, q.certifications, key); ok {
		return known
	}
	l := q.search(u)
	l.runFrom(s, key, stop)
	if stop() {
		return nil // it is not complete
	}
	return l.remember()
}

// alone returns the fingerprint of all that unit u's behaviour alone depends on.
func (q *Certifier) alone(s *State, u memmodel.Unit) xxh3.Uint128 {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 256), s.Cast.ID)
	b = binary.AppendUvarint(b, uint64(u))
	b = append(b, byte(s.status[u]))
	b = binary.AppendUvarint(b, uint64(s.pc[u]))
	regs := s.reg(u)
	for i, set := range q.where.Decides[s.Cast.Units[u].Func][s.pc[u]] {
		for ; set != 0; set &= set - 1 {
			b = binary.AppendVarint(b, regs[i<<6+bits.TrailingZeros64(set)])
		}
	}
	b = s.Mem.AppendAlone(b, u, q.m.Ahead(s, u, facts.Ever).Matters)
	return xxh3.Hash128(b)
}

func never() bool { return false }

// keepsPromises reports whether unit u fulfils all its promises if it runs alone from s.
func (q *Certifier) keepsPromises(s *State, u memmodel.Unit) bool {
	key := q.alone(s, u)
	if keeps, ok := recall(q, q.keeps, key); ok {
		return keeps
	}
	l := q.search(u)
	l.keeping = true
	l.runFrom(s, key, q.m.Halted)
	if !q.m.Halted() {
		l.rememberKept()
	}
	return l.kept >= 0
}

// make performs a promise of unit u, and returns its location. keeps says that the unit surely comes to the write: it does so
// without a step that a promise could disturb.
func (q *Certifier) make(s *State, u memmodel.Unit, c Choice) (x memmodel.Loc, keeps bool) {
	x, w, pc := q.Of(s, u, c)
	keeps = q.certificationAnyway(s, u).easy[c.Promise-2]
	q.m.attend(s, u, pc)
	if !s.Mem.Promise(u, x, memmodel.Msg(c.Back), w) {
		s.Abandoned = true
	}
	q.m.blame(s, u, pc)
	return x, keeps
}

// after certifies what all owe behind a step of unit u, which has made a difference at location x; keeps says that u is known to fulfil its promises.
func (q *Certifier) after(s *State, u memmodel.Unit, x memmodel.Loc, keeps bool) {
	q.forgetAlone(s, u, x)
	s.goneOn()
	if s.Mem.Promised() {
		q.certify(s, u, x, keeps)
	}
}

// certify abandons s, to which a step of unit t has led, unless each unit can fulfil its promises, so that no
// value comes out of thin air (rule 7.8). The other units could before the step, and still can if it has changed
// no location that matters to them. keeps says that t is known to fulfil its promises.
// docs/exploration/certifying.md, "Certifying". With keeps, t is known to keep its promises.
func (q *Certifier) certify(s *State, t memmodel.Unit, changed memmodel.Loc, keeps bool) {
	for u := range s.Cast.Count() {
		if s.Mem.Promises(u) > 0 && (u == t && !keeps || u != t && q.matters(s, u, changed)) && !q.keepsPromises(s, u) {
			s.Abandoned, s.Uncertified, s.CertificationFailed = true, true, u == t
			return
		}
	}
}

// forgetAlone drops the certifications that a step of unit t at location x may have changed: that of t, and those
// of units to which the location matters.
func (q *Certifier) forgetAlone(s *State, t memmodel.Unit, x memmodel.Loc) {
	for u := range memmodel.Unit(len(s.alone)) {
		if u == t || q.matters(s, u, x) {
			s.alone[u] = certificationKey{}
		}
	}
}

// matters reports whether the content of location x matters to what unit u can do alone. x may be anywhere or
// nowhere.
func (q *Certifier) matters(s *State, u memmodel.Unit, x memmodel.Loc) bool {
	return x == anywhere || x != nowhere && q.m.Ahead(s, u, facts.Ever).Matters.Has(int(x))
}

// Remember lets the machine use no more than about so many bytes for what certifying
// has found, and returns how many that are: not more than it needs.
func (q *Certifier) Remember(bytes int) int {
	q.room = min(bytes, defaultRoom)
	q.makeRoom(0)
	return q.room
}

// defaultRoom is how many bytes the machine uses for what certifying has found.
const defaultRoom = 64 << 20

// recall returns what q remembers under a key, in one of its maps.
func recall[T any](q *Certifier, of map[xxh3.Uint128]T, key xxh3.Uint128) (known T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	known, ok = of[key]
	return known, ok
}

// makeRoom makes room for n bytes in what is remembered, by forgetting it.
func (q *Certifier) makeRoom(n int) {
	if q.size += n; q.size > q.room {
		clear(q.keeps)
		clear(q.certifications)
		q.size = n
	}
}

// What a solo occupies, and what it has in common with others.
const certificationEntry = mapEntry + int(unsafe.Sizeof(certification{}))

// What an entry of a map occupies, about.
const mapEntry = 2 * (16 + 8)

func (o *common) bytes() int {
	return int(unsafe.Sizeof(*o)) + len(o.writes)*int(unsafe.Sizeof(offer{})+1) + 8*(len(o.ValueMatters)+len(o.Takes)+len(o.Again))
}
