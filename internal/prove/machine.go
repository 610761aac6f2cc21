package prove

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// machine follows one work-item through the code of a kernel, whose values are terms (docs/exploration/proofs.md, "Proofs for all data and all sizes").
type machine struct {
	*terms
	k       *Kernel
	sizes   *sizes
	f       *ir.Func
	g       *graph
	mem     *memory
	written []bool // by object: the kernel writes there
	counts  func(*ir.Instr) bool
	region  memmodel.Region  // of the objects whose accesses are noted
	all     bool             // barriers are asked whether all come, and assertions whether they hold
	quiet   int              // nothing is noted
	rough   int              // loops make what they change unknown
	now     scope            // of what is the same in a group at one moment
	facts   []*term          // what holds for every work-item
	noted   []*access        // all accesses so far
	tickets map[*term]ticket // results of atomic additions of one
	mixed   []bool           // by object: other atomic operations change it, too
	stored  []bool           // by object: it is stored to, too
	points  *ir.PointsTo     // what addresses that are not known may be of
	*asker
}

// misunderstood is why a kernel cannot be followed, with the place.
type misunderstood struct {
	why string
	pos int32
}

func (m *machine) give(pos int32, format string, args ...any) {
	panic(misunderstood{fmt.Sprintf(format, args...), pos})
}

// kind is what an access does.
type kind uint8

const (
	reads kind = iota
	writes
	atomicReads
	atomicWrites
)

// access is an access to memory, under a condition.
type access struct {
	obj   int
	off   *term
	kind  kind
	scope memmodel.Scope
	pc    *term
	pos   int32
	copy  *term // the asynchronous copy that makes it, nil if a work-item does
}

// way is a way through the code up to a point.
type way struct {
	pc     *term
	regs   []*term
	tail   []*access // since the last barrier
	old    []*access // likewise, and all pairs of these have been asked about
	open   bool      // there may have been none since the begin of the area
	copies []copying // that are under way
}

func (w *way) clone() *way {
	return &way{w.pc, slices.Clone(w.regs), slices.Clone(w.tail), slices.Clone(w.old), w.open, slices.Clone(w.copies)}
}

// all lists what has been accessed since the last barrier.
func (w *way) all() []*access { return slices.Concat(w.old, w.tail) }

// pass is one way through an area.
type pass struct {
	back  *way // to the header, nil if nothing leads there
	exits []exit
	head  []*access // before the first barrier
	meets bool      // there may be a barrier that counts
	stops bool      // there may be any meeting
}

type exit struct {
	from, to int // to is -1 at the end of the code
	way      *way
}

// operand returns what an operand holds. What nobody has written may be anything, and something else each time.
func (m *machine) operand(w *way, o int32) *term {
	if o < 0 && m.f.Consts[^o] == ir.Unwritten {
		return m.unknown(unset, 64, item)
	}
	if o < 0 {
		return m.num(64, uint64(m.f.Consts[^o]))
	}
	return w.regs[o]
}

// value extends a value of a type as registers hold it.
func (m *machine) value(t ir.Type, v *term) *term { return m.ext(v, 64, t.Signed()) }

func (m *machine) set(w *way, r int32, v *term) {
	if r >= 0 {
		w.regs[r] = v
	}
}

// block goes through the instructions of a block.
func (m *machine) block(w *way, b int, p *pass) {
	for pc := m.g.blocks[b].from; pc < m.g.blocks[b].to; pc++ {
		if m.tick(); w.pc != m.no {
			m.step(w, &m.f.Code[pc], p)
		}
	}
}

func (m *machine) step(w *way, in *ir.Instr, p *pass) {
	switch in.Op {
	case ir.OpNop, ir.OpJump, ir.OpBranch, ir.OpEnd, ir.OpRound, ir.OpReach, ir.OpObserve, ir.OpFence:
	case ir.OpMove:
		m.set(w, in.Dst, m.operand(w, in.A))
	case ir.OpBin:
		m.set(w, in.Dst, m.binary(w, in, m.operand(w, in.A), m.operand(w, in.B)))
	case ir.OpUn:
		m.set(w, in.Dst, m.unary(in, m.operand(w, in.A)))
	case ir.OpConv:
		m.set(w, in.Dst, m.converted(in, m.operand(w, in.A)))
	case ir.OpQuery:
		m.set(w, in.Dst, m.sizes.query(m.terms, in, m.operand(w, in.A), m))
	case ir.OpCheck:
		m.check(w, in)
	case ir.OpAssert:
		m.assert(w, in)
	case ir.OpAssume:
		w.pc = m.and(w.pc, m.holds(m.operand(w, in.A)))
	case ir.OpLoad, ir.OpStore, ir.OpRMW, ir.OpCmpXchg:
		m.access(w, in, p)
	case ir.OpBarrier:
		m.barrier(w, in, p)
	case ir.OpCollective:
		m.collective(w, in, p)
	case ir.OpAsyncCopy:
		m.asyncCopy(w, in, p)
	case ir.OpWaitCopies:
		m.waitCopies(w, in, p)
	default:
		m.give(in.Pos, "%s", notFollowed[in.Op])
	}
}

// notFollowed says of operations what they are.
var notFollowed = map[ir.Op]string{
	ir.OpChoose:        "a choice",
	ir.OpEnqueueKernel: "a kernel that enqueues others", ir.OpEnqueueMarker: "a kernel that enqueues others", ir.OpCreateEvent: "events",
	ir.OpSetEvent: "events", ir.OpRetainEvent: "events", ir.OpReleaseEvent: "events", ir.OpValidEvent: "events",
}

// holds is whether a value is not zero.
func (m *machine) holds(v *term) *term { return m.not(m.eq(v, m.num(v.w, 0))) }

// check notes a distance that stands for one beyond all buffers; other checks say nothing here, as lengths are not known.
func (m *machine) check(w *way, in *ir.Instr) {
	if in.Check == ir.CheckObject && m.operand(w, in.A).is(0) {
		m.give(in.Pos, "an element that is far behind the start of its buffer")
	}
}

func (m *machine) binary(w *way, in *ir.Instr, a, b *term) *term {
	t := in.Type
	n := t.Bits()
	switch {
	case in.Alu == ir.Add && t == ir.Ptr:
		return m.fun(pointerSum, 64, a, b)
	case t.Float() || in.Alu > ir.Max:
		return m.opaque(in, t, a, b)
	case in.Alu >= ir.Eq && in.Alu <= ir.Ge:
		return m.ext(m.compared(in.Alu, t, a, b), 64, false)
	}
	if t == ir.I32 && in.Alu <= ir.Mul { // C leaves undefined what does not fit: the result is the same in 64 bits
		switch in.Alu {
		case ir.Add:
			return m.add(a, b)
		case ir.Sub:
			return m.sub(a, b)
		}
		return m.product(a, b)
	}
	x, y := m.ext(a, n, false), m.ext(b, n, false)
	switch in.Alu {
	case ir.Add:
		return m.value(t, m.add(x, y))
	case ir.Sub:
		return m.value(t, m.sub(x, y))
	case ir.Mul:
		return m.value(t, m.product(x, y))
	case ir.Div, ir.Rem:
		if q, r, ok := m.quotient(w, t, a, b); ok && in.Alu == ir.Div {
			return q
		} else if ok {
			return r
		}
		return m.value(t, m.divided(in.Alu == ir.Div, t.Signed(), x, y))
	case ir.And:
		return m.value(t, m.bin(opAnd, x, y))
	case ir.Or:
		return m.value(t, m.bin(opOr, x, y))
	case ir.Xor:
		return m.value(t, m.bin(opXor, x, y))
	case ir.AndNot:
		return m.value(t, m.bin(opAnd, x, m.complement(y)))
	case ir.Shl, ir.Shr:
		return m.value(t, m.shifted(in.Alu, t, x, b))
	case ir.Min, ir.Max:
		lt := m.less(t.Signed(), x, y)
		if in.Alu == ir.Max {
			x, y = y, x
		}
		return m.value(t, m.ite(lt, x, y))
	}
	return m.opaque(in, t, a, b)
}

// opaque is an operation of which nothing is known but that it is a function of its operands.
func (m *machine) opaque(in *ir.Instr, t ir.Type, args ...*term) *term {
	n := t.Bits()
	if in.Alu >= ir.Eq && in.Alu <= ir.Ge {
		n = 1
	}
	return m.ext(m.fun(fmt.Sprintf("op %d %d %d", in.Op, in.Alu, in.Type), n, args...), 64, t.Signed() && n > 1)
}

func (m *machine) complement(x *term) *term { return m.sub(m.num(x.w, mask(x.w)), x) }

func (m *machine) compared(alu ir.Alu, t ir.Type, a, b *term) *term {
	if t.Float() {
		return m.fun(fmt.Sprintf("compare %d %d", alu, t), 1, a, b)
	}
	switch alu { // registers hold values extended by their type's sign: the whole of them can be compared
	case ir.Eq:
		return m.eq(a, b)
	case ir.Ne:
		return m.not(m.eq(a, b))
	case ir.Lt:
		return m.less(t.Signed(), a, b)
	case ir.Gt:
		return m.less(t.Signed(), b, a)
	case ir.Le:
		return m.not(m.less(t.Signed(), b, a))
	}
	return m.not(m.less(t.Signed(), a, b))
}

// shifted shifts by a count that is taken as unsigned, all 64 bits of it.
func (m *machine) shifted(alu ir.Alu, t ir.Type, x, count *term) *term {
	over := m.not(m.less(false, count, m.num(64, uint64(x.w))))
	c := m.trunc(count, x.w)
	if x.w < 8 {
		return m.unknown("shift", x.w, item)
	}
	switch {
	case alu == ir.Shl:
		return m.ite(over, m.num(x.w, 0), m.bin(opShl, x, c))
	case t.Signed():
		return m.ite(over, m.bin(opSar, x, m.num(x.w, uint64(x.w-1))), m.bin(opSar, x, c))
	}
	return m.ite(over, m.num(x.w, 0), m.bin(opShr, x, c))
}

func (m *machine) divided(quotient, isSigned bool, x, y *term) *term {
	o := opRem
	if quotient {
		o = opDiv
	}
	if !isSigned {
		return m.bin(o, x, y)
	}
	zero := m.num(x.w, 0)
	negative := func(t *term) *term { return m.less(true, t, zero) }
	size := func(t *term) *term { return m.ite(negative(t), m.sub(zero, t), t) }
	r := m.bin(o, size(x), size(y))
	sign := negative(x)
	if quotient {
		sign = m.bitwise(opXor, sign, negative(y))
	}
	return m.ite(sign, m.sub(zero, r), r)
}

// product knows what a group's number and size make together.
func (m *machine) product(x, y *term) *term { return m.sizes.product(m.terms, x, y) }

func (m *machine) unary(in *ir.Instr, a *term) *term {
	t := in.Type
	switch {
	case in.Alu == ir.Not:
		return m.ext(m.eq(a, m.num(64, 0)), 64, false)
	case t.Float():
	case in.Alu == ir.Neg:
		x := m.ext(a, t.Bits(), false)
		return m.value(t, m.sub(m.num(x.w, 0), x))
	case in.Alu == ir.Compl:
		return m.value(t, m.complement(m.ext(a, t.Bits(), false)))
	}
	return m.opaque(in, t, a)
}

func (m *machine) converted(in *ir.Instr, a *term) *term {
	if in.Type.Float() || in.From.Float() {
		return m.ext(m.fun(fmt.Sprintf("convert %d %d", in.Type, in.From), in.Type.Bits(), a), 64, in.Type.Signed())
	}
	if n := in.Type.Bits(); n < 64 && m.upper(a) <= mask(n)>>1 {
		return a // it fits, whatever the sign
	}
	return m.value(in.Type, m.ext(a, in.Type.Bits(), false))
}

// access performs an operation on memory.
func (m *machine) access(w *way, in *ir.Instr, p *pass) {
	places, private, ok := m.places(m.operand(w, in.A))
	switch {
	case !ok && m.rough > 0:
		m.anywhere(w, in)
		return
	case !ok:
		m.give(in.Pos, "a pointer that comes out of memory, or is computed")
	case private:
		m.private(w, in, m.operand(w, in.A))
		return
	}
	a := access{pc: w.pc, pos: in.Pos, scope: in.Scope}
	if in.Legacy {
		a.scope = m.k.Program.LegacyScope
	}
	atomic := in.Order != memmodel.NonAtomic || in.Op == ir.OpRMW || in.Op == ir.OpCmpXchg
	switch {
	case in.Op == ir.OpLoad && atomic:
		a.kind = atomicReads
	case atomic:
		a.kind = atomicWrites
	case in.Op == ir.OpStore:
		a.kind = writes
	}
	for _, q := range places {
		one := a
		one.obj, one.off, one.pc = q.obj, q.off, m.and(w.pc, q.cond)
		m.note(w, &one, p)
	}
	m.effect(w, in, places, atomic)
}

// effect is what an access reads and writes.
func (m *machine) effect(w *way, in *ir.Instr, places []place, atomic bool) {
	switch {
	case in.Op == ir.OpStore && !atomic:
		if in.Type == ir.Ptr && !m.operand(w, in.B).isConst() {
			m.give(in.Pos, "a pointer in memory")
		}
		for _, q := range places {
			m.stored[q.obj] = true
		}
		m.store(places, w.pc, m.operand(w, in.B), in.Type.Bits())
		return
	case in.Op == ir.OpLoad && !atomic:
		if in.Dst < 0 {
			return
		}
		if in.Type == ir.Ptr {
			m.give(in.Pos, "a pointer in memory")
		}
		m.set(w, in.Dst, m.load(places, in))
		return
	}
	result := m.value(in.Type, m.unknown("atomic", in.Type.Bits(), item))
	if in.Op != ir.OpLoad {
		for _, q := range places {
			m.lose(q.obj)
		}
		m.counted(w, in, places, result)
	}
	switch {
	case in.Op == ir.OpCmpXchg:
		m.set(w, in.Dst, m.ext(m.unknown("exchanged", 1, item), 64, false))
		m.set(w, in.Dst2, result)
	default:
		m.set(w, in.Dst, result)
	}
}

// ticket is what an addition of one has returned: where it was made, and between which barriers.
type ticket struct {
	place
	interval *term
}

// counted notes an addition of one: its results differ from each other, if nothing else changes the object in between (docs/exploration/proofs.md, "Counters").
func (m *machine) counted(w *way, in *ir.Instr, places []place, result *term) {
	one := in.Op == ir.OpRMW && in.Alu == ir.Add && m.ext(m.operand(w, in.B), in.Type.Bits(), false).is(1)
	if !one || len(places) != 1 {
		for _, q := range places {
			m.mixed[q.obj] = true
		}
		return
	}
	if !m.mixed[places[0].obj] {
		v := result
		for v.op == opZext || v.op == opSext {
			v = v.args[0]
		}
		m.tickets[v] = ticket{places[0], m.mem.interval}
	}
}

// anywhere accesses what a pointer that is not known may point to: the work-item knows nothing of that any more.
func (m *machine) anywhere(w *way, in *ir.Instr) {
	if in.Type == ir.Ptr {
		m.give(in.Pos, "a pointer in memory")
	}
	objects, _, _ := m.points.Address(in)
	for i := range m.k.Program.Objects {
		if in.Op != ir.OpLoad && objects.Has(i) {
			m.written[i], m.stored[i], m.mixed[i] = true, true, true
			m.lose(i)
		}
	}
	if in.Op != ir.OpLoad {
		for r := range m.f.Private {
			w.regs[r] = m.unknown("private", 64, item)
		}
	}
	m.set(w, in.Dst, m.value(in.Type, m.unknown("anywhere", in.Type.Bits(), item)))
	if in.Op == ir.OpCmpXchg {
		m.set(w, in.Dst2, m.value(in.Type, m.unknown("anywhere", in.Type.Bits(), item)))
	}
}

// note keeps an access for the questions whom it meets.
func (m *machine) note(w *way, a *access, p *pass) {
	o := &m.k.Program.Objects[a.obj]
	if a.kind == writes || a.kind == atomicWrites {
		m.written[a.obj] = true
	}
	if m.quiet > 0 || a.pc == m.no || m.region == nothing || (o.Region == memmodel.Local) != (m.region == memmodel.Local) {
		return
	}
	same := func(b *access) bool {
		return a.copy == nil && a.obj == b.obj && a.off == b.off && a.kind == b.kind && a.pc == b.pc && a.scope == b.scope
	}
	if i := slices.IndexFunc(w.tail, same); i >= 0 {
		return
	}
	m.noted = append(m.noted, a)
	w.tail = append(w.tail, a)
	if w.open {
		p.head = append(p.head, a)
	}
}

// barrier ends an interval, if it is of the memory that is looked at.
func (m *machine) barrier(w *way, in *ir.Instr, p *pass) {
	m.come(w, in, p)
	if in.SubGroup {
		return
	}
	seen := m.mem
	m.forget(m.now)
	m.carry(seen, w.pc)
	if !m.counts(in) {
		return
	}
	p.meets = true
	m.interval(w)
	w.tail, w.old, w.open = w.underway(), nil, false
}

// nothing is no region: of a machine that is asked about meetings alone.
const nothing = memmodel.Region(255)

// come asks whether all work-items of the group come to a meeting. Where nothing else is asked, all meetings count the rounds of loops.
func (m *machine) come(w *way, in *ir.Instr, p *pass) {
	p.stops = true
	p.meets = p.meets || m.region == nothing
	if m.all && m.quiet == 0 {
		m.diverge(w.pc, in.Pos)
	}
}

// agreed is come, and asks whether all of the group come with the same operands, which it returns.
func (m *machine) agreed(w *way, in *ir.Instr, p *pass, operands []int32) (args []*term) {
	m.come(w, in, p)
	for _, a := range operands {
		t := m.operand(w, a)
		if args = append(args, t); m.all && m.quiet == 0 && t.scope > group {
			both := m.pair(true, []*term{w.pc, t}, []*term{w.pc, t})
			m.conclude(both, m.not(m.eq(both.one(t), both.two(t))), Open{Kind: Divergence, Pos: [2]int32{in.Pos, in.Pos}, SameGroup: true})
		}
	}
	return args
}

func (m *machine) collective(w *way, in *ir.Instr, p *pass) {
	var who []int32
	if in.Group == ir.GroupBroadcast {
		who = append(who, in.C)
	}
	m.agreed(w, in, p, who)
	s := m.now
	if in.SubGroup || in.Group != ir.GroupReduce && in.Group != ir.GroupBroadcast {
		s = item
	}
	if in.Group == ir.GroupBroadcast && !in.SubGroup && m.operand(w, in.C).scope > group {
		s = item
	}
	m.set(w, in.Dst, m.value(in.Type, m.unknown("collective", in.Type.Bits(), s)))
}

// assert asks whether an assertion holds.
func (m *machine) assert(w *way, in *ir.Instr) {
	c := m.holds(m.operand(w, in.A))
	if m.all && m.quiet == 0 {
		m.fails(m.and(w.pc, m.not(c)), in.Pos)
	}
}

// log2 of a power of two.
func log2(v uint64) uint64 { return uint64(bits.TrailingZeros64(v)) }
