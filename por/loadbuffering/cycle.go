package loadbuffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// poEdge is an edge of program order in the graph of cycles: one unit reads a vertex and later writes another.
type poEdge struct {
	unit        int   // a function, or a thread by itself
	from, to    int   // vertices
	read, write order // the operations'
	update      bool  // one read-modify-write of one cell
	// promisable: no barrier, command or release fence of the memory that is
	// written lies between, and the write is of a kind that can be promised.
	promisable bool
	// barred: of an edge that is found thread by thread, on some way between there is such an operation all the same, or the write directly follows what is read.
	barred bool
}

// order is what decides whether an operation synchronises with another, and whether one can read from the other.
type order struct {
	acquires, releases bool           // as a read, as a write
	scope              memmodel.Scope // which the two must share to synchronise
	value              literal        // what is read or written, if that is one
}

// literal is a value that is known from the code: the one that a write always writes, or the only one with which a
// read leads to anything but another try.
type literal struct {
	known bool    // there is one
	typ   ir.Type // in which it is one value
	of    int64   // the value, extended to 64 bits
}

func (m *program) orderOf(in *ir.Instr) order {
	switch {
	case in.Op.Meets():
		orders := in.Op == ir.OpBarrier && m.ordersAtomics(in.Flags)
		return order{acquires: orders, releases: orders}
	case !in.Op.Access(): // commands: not all of their orders synchronise
		return order{}
	}
	return order{acquires: in.Order.Acquires(), releases: in.Order.Releases(), scope: in.Scope}
}

// ordersAtomics reports whether a barrier with these flags orders all atomic objects.
func (m *program) ordersAtomics(flags memmodel.Flags) bool {
	of := [...]memmodel.Flags{memmodel.Global: memmodel.GlobalFence, memmodel.Local: memmodel.LocalFence, memmodel.Image: memmodel.ImageFence, memmodel.Pipe: 0}
	for i := range m.Program.Objects {
		if o := &m.Program.Objects[i]; hasAtomics(o.Layout) && flags&of[o.Region] == 0 {
			return false
		}
	}
	return !m.regions()
}

// canRead reports whether a read with order r can read from a write with order w and then go on.
func (r order) canRead(w order) bool {
	return !w.value.known || !r.value.known || w.value.typ != r.value.typ || w.value.of == r.value.of
}

// written returns the value that an operation writes, if it writes and the code says which.
func written(f *ir.Func, in *ir.Instr) literal {
	operand := in.B
	switch {
	case in.Op == ir.OpCmpXchg:
		operand = in.C
	case in.Op == ir.OpRMW && in.Alu != ir.Xchg:
		return literal{}
	}
	return constant(f, in, operand)
}

func constant(f *ir.Func, in *ir.Instr, operand int32) literal {
	if operand >= 0 {
		return literal{}
	}
	return literal{true, in.Type, f.Consts[^operand]}
}

// wanted returns the value that a compare-exchange must read if it is repeated until it succeeds. A failure is
// then a round of waiting, which no execution needs.
func (m *program) wanted(fn, pc int) literal {
	f := m.Program.Funcs[fn]
	if in := &f.Code[pc]; in.Op == ir.OpCmpXchg && retries(f, pc) && !m.mustAcquireAt(fn, pc) {
		return constant(f, in, in.B)
	}
	return literal{}
}

// site is the place of an edge in its function's code: its read and its write.
type site struct{ read, write int } // both by pc

// cycles returns the promisable writes, by function and pc, that are on a cycle of edges each of which reads what
// the one before wrote. It may return too many, never too few. It returns nil if there is none.
func (m *program) cycles() (writes [][]bool) {
	sites := map[poEdge][]site{}
	blind := m.commutingOnly()
	for fn := range m.Program.Funcs {
		m.addEdges(fn, blind, sites)
		writes = append(writes, make([]bool, len(m.Program.Funcs[fn].Code)))
	}
	g := m.graphOfObjects(sites)
	found := false
	for h, at := range sites {
		if !h.promisable || !g.closes(h) {
			continue
		}
		found = true
		for _, s := range at {
			writes[h.unit][s.write] = true
		}
	}
	if !found {
		return nil
	}
	return writes
}

// readsBefore returns the reads before which some of these writes can be promised. A read need not be on the
// cycle: its value may decide what the unit reads next on its way to the write.
func (m *program) readsBefore(writes [][]bool) (reads [][]bool) {
	for fn, f := range m.Program.Funcs {
		reads = append(reads, make([]bool, len(f.Code)))
		for pc := range f.Code {
			if in := &f.Code[pc]; readsAtomically(in) {
				near, _ := m.reach(fn, pc)
				for to, written := range writes[fn] {
					reads[fn][pc] = reads[fn][pc] || written && near[to] != 0
				}
			}
		}
	}
	return reads
}

// graphOfObjects returns the graph whose vertices are objects, and whose units functions.
func (m *program) graphOfObjects(sites map[poEdge][]site) *graph {
	g := &graph{m: m, ends: map[start][]end{}}
	for i := range m.Program.Objects {
		s := vertex{i, -1}
		if m.Program.Objects[i].Layout.Cells() == 1 {
			s.cell = i
		}
		g.vertices = append(g.vertices, s)
	}
	for len(g.vertices) <= m.commandVertex() {
		g.vertices = append(g.vertices, vertex{-1, -2 - len(g.vertices)})
	}
	g.edges = make([][]poEdge, len(g.vertices))
	for h := range sites {
		g.edges[h.from] = append(g.edges[h.from], h)
	}
	for fn := range m.Program.Funcs {
		g.once = append(g.once, m.single(fn))
	}
	return g
}

// looks returns the reads that can read from some of these writes.
func (m *program) looks(writes [][]bool) [][]bool {
	written := make([]bool, len(m.Program.Objects))
	for fn, f := range m.Program.Funcs {
		for pc := range f.Code {
			if writes[fn][pc] {
				m.eachObject(fn, &f.Code[pc], func(x int) { written[x] = true })
			}
		}
	}
	looks := make([][]bool, len(writes))
	for fn, f := range m.Program.Funcs {
		looks[fn] = make([]bool, len(f.Code))
		for pc := range f.Code {
			if in := &f.Code[pc]; readsAtomically(in) {
				m.eachObject(fn, in, func(x int) { looks[fn][pc] = looks[fn][pc] || written[x] })
			}
		}
	}
	return looks
}

// addEdges adds the edges of a function. A read of a commuting-only object has none.
func (m *program) addEdges(fn int, blind []bool, sites map[poEdge][]site) {
	f, alone := m.Program.Funcs[fn], m.alonePoints(fn)
	for pc := range f.Code {
		in := &f.Code[pc]
		if alone[pc] || !m.eachVertex(fn, in, false, nil) {
			continue
		}
		near, far := m.reach(fn, pc)
		h := poEdge{unit: fn, read: m.orderOf(in)}
		h.read.value = m.wanted(fn, pc)
		if in.Op == ir.OpCmpXchg && !h.read.value.known { // which may fail, and go on
			h.read.acquires = h.read.acquires && in.FailOrder.Acquires()
		}
		m.eachVertex(fn, in, false, func(a int) {
			if h.from = a; a >= len(blind) || !blind[a] {
				m.addEdgesTo(h, pc, near, far, alone, sites)
			}
		})
	}
	if m.commands() {
		near, far := m.reach(fn, -1)
		m.addEdgesTo(poEdge{unit: fn, from: m.commandVertex()}, -1, near, far, alone, sites)
	}
}

// addEdgesTo adds the edges from a read at pc to each write that can follow it.
func (m *program) addEdgesTo(h poEdge, pc int, near []regionSet, far, alone []bool, sites map[poEdge][]site) {
	f, host := m.Program.Funcs[h.unit], m.hostOnly(h.unit)
	for to := range f.Code {
		w := &f.Code[to]
		if !far[to] || alone[to] {
			continue
		}
		h.write = m.orderOf(w)
		h.write.value = written(f, w)
		able := !host && m.mayComeEarly(w)
		m.eachVertex(h.unit, w, true, func(b int) {
			h.to = b
			h.promisable = able && near[to].has(m.Program.Objects[b].Region)
			h.update = pc == to && h.from == b && b < len(m.Program.Objects) && m.Program.Objects[b].Layout.Cells() == 1
			sites[h] = append(sites[h], site{pc, to})
		})
	}
}

// canBePromised reports whether a work-item may promise the write of an operation of this kind.
func (m *program) canBePromised(in *ir.Instr) bool {
	return in.Op.Access() && in.Order != memmodel.NonAtomic && !(in.Order == memmodel.SeqCst && m.Spec.SCBoth)
}

// mayComeEarly reports whether a work-item may promise the write of an operation before some atomic read: a release comes before whatever its
// unit does next in memory of its region, so only where there are atomic objects in another one.
func (m *program) mayComeEarly(in *ir.Instr) bool {
	return m.canBePromised(in) && (!in.Order.Releases() || m.regions())
}

// eachVertex calls f, unless it is nil, with the vertices of the graph of objects that an
// instruction reads or writes. It reports whether it is of a kind that does.
func (m *program) eachVertex(fn int, in *ir.Instr, writes bool, f func(int)) bool {
	one := func(v int) bool {
		if f != nil {
			f(v)
		}
		return true
	}
	switch {
	case in.Op.Meets():
		return one(len(m.Program.Objects) + int(in.Str))
	case in.Op.Access():
		if in.Order == memmodel.NonAtomic && !writes || in.Op == ir.OpStore && !writes || in.Op == ir.OpLoad && writes {
			return false
		}
		if f != nil {
			m.eachObject(fn, in, f)
		}
		return true
	case !m.commands():
	case writes && (in.Op.Starts() || in.Op == ir.OpEnd || in.Op == ir.OpSetEvent):
		return one(m.commandVertex())
	case !writes && (in.Op == ir.OpFinish || in.Op == ir.OpWaitEvents || in.Op == ir.OpEventStatus):
		return one(m.commandVertex())
	}
	return false
}

// commands reports whether commands order what runs at the same time as a unit: there is more than one kernel
// after the other.
func (m *program) commands() bool { return m.Beyond || m.DeviceQueue }

// commandVertex returns the vertex that stands for the order of commands and threads. Starting or ending one
// writes it; beginning or waiting for one reads it.
func (m *program) commandVertex() int { return len(m.Program.Objects) + len(m.Program.Strings) }

// alonePoints returns the points of a function at which no other unit acts: of
// the only host thread, before it enqueues anything and between a clFinish and
// the next command.
func (m *program) alonePoints(fn int) []bool {
	f := m.Program.Funcs[fn]
	alone := make([]bool, len(f.Code))
	if len(m.Program.Threads) != 1 || !m.hostOnly(fn) || m.Concurrent {
		return alone
	}
	busy := make([]bool, len(f.Code))
	for changed := true; changed; {
		changed = false
		for pc := range f.Code {
			in := &f.Code[pc]
			after := busy[pc] && in.Op != ir.OpFinish || in.Op > ir.OpFinish || in.Op == ir.OpEnqueueNDRange
			for _, next := range in.Successors(pc) {
				if after && !busy[next] {
					busy[next], changed = true, true
				}
			}
		}
	}
	for pc := range alone {
		alone[pc] = !busy[pc]
	}
	return alone
}

// hostOnly reports whether only host threads execute a function.
func (m *program) hostOnly(fn int) bool {
	for i := range m.Program.Threads {
		if t := &m.Program.Threads[i]; t.Func == fn {
			return t.Place.Host
		}
	}
	return false
}

// reach returns the instructions that can follow the one at pc, or at -1 the beginning. The instruction at pc
// counts itself if it can write. far tells whether an instruction can follow at all. near gives the regions of
// memory to which a write there can be promised before pc: no operation on the way stops such a promise.
func (m *program) reach(fn, pc int) (near []regionSet, far []bool) {
	f := m.Program.Funcs[fn]
	near, far = make([]regionSet, len(f.Code)), make([]bool, len(f.Code))
	if m.Halted() {
		return near, far
	}
	var walk func(from int, passed regionSet)
	walk = func(from int, passed regionSet) {
		successors := []int32{0}
		if from >= 0 {
			passed &= passing(&f.Code[from])
			successors = f.Code[from].Successors(from)
		}
		for _, next := range successors {
			if !far[next] || passed&^near[next] != 0 {
				far[next] = true
				near[next] |= passed
				walk(int(next), passed)
			}
		}
	}
	if pc >= 0 {
		far[pc] = f.Code[pc].Op != ir.OpLoad
		walk(pc, ^regionSet(0))
	} else {
		walk(pc, 0)
	}
	return near, far
}

// regionSet is a set of regions of memory.
type regionSet uint8

func (s regionSet) has(r memmodel.Region) bool { return s&(1<<r) != 0 }

// promisableRegions are the regions of memory of which writes can be promised.
var promisableRegions = [...]memmodel.Region{memmodel.Global, memmodel.Local}

// passing returns the regions to which a write can be promised before an operation and performed after it.
func passing(in *ir.Instr) (s regionSet) {
	for _, r := range promisableRegions {
		if facts.Passable(in, r) {
			s |= 1 << r
		}
	}
	return s
}

// hasAtomics reports whether an object has atomic cells.
func hasAtomics(l *ir.Layout) bool {
	switch {
	case l.Elem != nil:
		return hasAtomics(l.Elem)
	case l.Fields != nil:
		return slices.ContainsFunc(l.Fields, func(f ir.Field) bool { return hasAtomics(f.Layout) })
	}
	return l.Atomic
}

// eachObject calls f with the objects that an instruction may access and that
// have atomic cells; no other can be on a cycle without a data race. A constant
// address is that of one cell, though it may be derived from another object.
func (m *program) eachObject(fn int, in *ir.Instr, f func(int)) {
	objects, at, constant := m.Points[fn].Address(in)
	for i := range m.Program.Objects {
		if o := &m.Program.Objects[i]; objects.Has(i) && hasAtomics(o.Layout) && !(constant && int32(at&^ir.SegMask) == o.Base+int32(o.Layout.Cells())) {
			f(i)
		}
	}
}

// synchronise reports whether a read with order r surely synchronises with a write with order w that it reads
// from, for all memory that synchronisation orders.
func (m *program) synchronise(w, r order, object int) bool {
	return w.releases && r.acquires && w.scope == r.scope && m.allInclusive(w.scope, object) && !m.regions()
}

// allInclusive reports whether a scope surely includes each unit that accesses an object.
func (m *program) allInclusive(s memmodel.Scope, object int) bool {
	o := &m.Program.Objects[object]
	if o.Region == memmodel.Local {
		return s >= memmodel.ScopeWorkGroup
	}
	if s < memmodel.ScopeDevice || o.Kind == memmodel.Buffer && !m.oneInstance(object) || m.Traits.Grains {
		return false // there may be other devices, the host or another kernel-instance
	}
	for i := range m.Program.Threads {
		if p := &m.Program.Threads[i].Place; p.Device != 0 {
			return false
		}
	}
	return true
}

// oneInstance reports whether all units that access an object at one time are of one kernel-instance: kernels run one after the other, and the
// host thread accesses it while none runs.
func (m *program) oneInstance(object int) bool {
	if m.commands() {
		return false
	}
	for fn, f := range m.Program.Funcs {
		if !m.hostOnly(fn) {
			continue
		}
		alone, beside := m.alonePoints(fn), false
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op.Access() && !alone[pc] {
				m.eachObject(fn, in, func(x int) { beside = beside || x == object })
			}
		}
		if beside {
			return false
		}
	}
	return true
}

// regions reports whether the program has atomic objects in both regions, or a pipe, which no synchronisation
// orders.
func (m *program) regions() bool {
	var in [memmodel.Pipe + 1]bool
	for i := range m.Program.Objects {
		o := &m.Program.Objects[i]
		in[o.Region] = in[o.Region] || o.Region == memmodel.Pipe || hasAtomics(o.Layout)
	}
	return in[memmodel.Global] && in[memmodel.Local] || in[memmodel.Pipe]
}

// single reports whether exactly one unit executes a function.
func (m *program) single(fn int) bool {
	n := 0
	for i := range m.Program.Threads {
		if m.Program.Threads[i].Func == fn {
			n++
		}
	}
	for _, f := range m.Program.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; (in.Op == ir.OpEnqueueNDRange || in.Op == ir.OpEnqueueKernel || in.Op == ir.OpGo) && int(in.Target) == fn {
				return false
			}
		}
	}
	return n == 1
}
