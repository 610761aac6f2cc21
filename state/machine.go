package state

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Machine is a program made ready for execution under one reading of the
// specification. It is safe for concurrent use.
type Machine struct {
	Program *ir.Program
	Spec    memmodel.Spec
	Traits  memmodel.Traits
	// Keep leaves out reductions of the canonical form. Set it before use.
	Keep memmodel.Keep

	points []*ir.PointsTo // by function
	plans  [][]plan       // by function and pc
	onward []*reach       // by function: what its code may come to
	atomic []bool         // by function: makes atomic accesses
	legacy []bool         // by function: calls atomic functions of OpenCL 1.x on global memory
	asks   []*asking      // by function
	// Whether some read-modify-writes commute with others like them.
	commuting bool
	looping   bool           // some code may come back to where it was
	shared    []memmodel.Loc // the shared segment
	group     [][]memmodel.Loc

	reached  []atomic.Bool // by message: which cl.Reachable calls some execution has reached
	reachBit []uint64      // by message: its bit in State.reached

	children    []children // by function
	deviceQueue bool       // some kernel may enqueue
	bounded     bool       // some device queue can be full
	enqueues    bool       // some unit may make commands, events or threads
	onHost      []bool     // by function: host threads execute it
	threads     bool       // there may be several host threads
	polls       bool       // somebody asks for the status of events
	concurrent  bool       // several commands or host threads may be under way at a time
	firstKernel uint16     // the number of the first kernel-instance that a command runs

	promises promises
	halted   atomic.Bool
	apart    bool         // the host does more than enqueue kernels on the default queue and wait for them all
	rules    []accessRule // by cell of the shared segment
	mapping  bool         // some of them matter

	legacyShared atomic.Bool // work-items of several groups have called those at a time

	// By device: where it has what is of program scope, by cell; nil if where it is.
	copies [][]int32
	origin []int32 // of each copy: the cell that it is a copy of
	turns  int     // first of the locations that order what host threads do to queues

	// The names, of hosts and of kernels, under which several functions observe.
	sharedNames [2][]bool

	mu        sync.RWMutex
	observers map[uint64]Observer // what units that have observed are called
	casts     map[uint64]*Cast
	kernels   map[string]uint16 // numbers of kernel-instances, by the paths of their commands
}

// Halt makes the machine give up what takes long, whatever its answers are worth then:
// whether promises matter, and what can be promised. It is for good.
func (m *Machine) Halt() { m.halted.Store(true) }

// Halted reports whether the machine has been told to Halt: since when, nothing that it
// says of promises counts.
func (m *Machine) Halted() bool { return m.halted.Load() }

// plan is what is worth knowing of an instruction before it is executed.
type plan struct {
	dead  []int32 // registers that hold nothing of worth when a unit waits here
	loops bool    // of an access: the code may come back here
	class class   // of a read-modify-write
}

// NewMachine prepares a program.
func NewMachine(p *ir.Program, spec memmodel.Spec) *Machine {
	m := &Machine{Program: p, Spec: spec, casts: map[uint64]*Cast{}, observers: map[uint64]Observer{}, kernels: map[string]uint16{}, firstKernel: 1, reached: make([]atomic.Bool, len(p.Strings))}
	m.reachBit = reachBits(p)
	m.children = m.offspring()
	m.onHost, m.threads = hostFuncs(p), has(p, ir.OpGo, ir.OpCallback)
	m.concurrent, m.polls = m.threads || len(p.HostQueues) > 0, has(p, ir.OpEventStatus)
	m.apart = m.concurrent || m.polls || has(p, ir.OpEnqueueNative, ir.OpMarker, ir.OpQueueBarrier, ir.OpWaitEvents)
	m.bounded = slices.ContainsFunc(p.Queues, func(size int32) bool { return size > 0 })
	m.enqueues = slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Code, func(in ir.Instr) bool { return in.Op.Makes() })
	})
	for fn, f := range p.Funcs {
		m.deviceQueue = m.deviceQueue || m.children[fn].any
		m.points = append(m.points, p.PointsTo(fn))
		m.group = append(m.group, nil)
		m.onward = append(m.onward, m.newReach(f))
		m.asks = append(m.asks, newAsking(f))
		m.plans = append(m.plans, plans(f))
		m.looping = m.looping || slices.Contains(f.ComesBack(), true)
		m.commuting = m.commuting || slices.ContainsFunc(m.plans[fn], func(p plan) bool { return p.class < numClasses })
		m.atomic = append(m.atomic, slices.ContainsFunc(f.Code, func(in ir.Instr) bool {
			return in.Op.Access() && in.Order != memmodel.NonAtomic
		}))
		m.legacy = append(m.legacy, m.callsLegacy(fn))
	}
	m.sharedNames = shared(p)
	m.mapCells()
	for i := range p.Objects {
		o := &p.Objects[i]
		seg := &m.shared
		if o.Func >= 0 {
			seg = &m.group[o.Func]
		}
		for c := range o.Layout.Cells() {
			*seg = append(*seg, location(o, c))
			if o.Func < 0 && m.rules[len(m.shared)-1].history {
				m.shared[len(m.shared)-1].Atomic = true
			}
		}
	}
	m.copyProgramScope()
	m.turns = len(m.shared)
	for range len(p.HostQueues) + 1 {
		if m.threads {
			m.shared = append(m.shared, hiddenLoc)
		}
	}
	m.regionLocs()
	for _, t := range p.Threads {
		m.firstKernel = max(m.firstKernel, t.Place.Kernel+1)
	}
	m.Traits = m.traits()
	return m
}

// reachBits gives each message of a cl.Reachable a bit. Beyond 64 they share.
func reachBits(p *ir.Program) []uint64 {
	bits, n := make([]uint64, len(p.Strings)), 0
	for _, f := range p.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op == ir.OpReach && bits[in.Str] == 0 {
				bits[in.Str] = 1 << (n % 64)
				n++
			}
		}
	}
	return bits
}

func location(o *ir.Object, cell int) memmodel.Loc {
	scalar, _ := o.Layout.Cell(cell)
	l := memmodel.Loc{Region: o.Region, Kind: o.Kind, Atomic: scalar.Atomic}
	if o.Init != nil {
		l.Init, l.Initialised = o.Init[cell], true
	}
	return l
}

func plans(f *ir.Func) []plan {
	ps, back := make([]plan, len(f.Code)), f.ComesBack()
	for pc := range f.Code {
		ps[pc].loops = back[pc] && (f.Code[pc].Op.Access() || f.Code[pc].Op == ir.OpMapCell)
		ps[pc].class = classOf(f, pc)
		if !f.Code[pc].Op.Visible() {
			continue
		}
		for r := range f.Regs {
			if !f.LiveAt(pc, r) {
				ps[pc].dead = append(ps[pc].dead, int32(r))
			}
		}
	}
	return ps
}

// traits finds which mechanisms of the memory model the program can need. Of one
// unit alone, seq_cst accesses are in S as they are in program order, which
// constrains nothing: such as those of a host that looks at results.
func (m *Machine) traits() memmodel.Traits {
	if t := m.traitsBut(m.loneHost()); !t.SeqCst {
		return t
	}
	return m.traitsBut(-1)
}

// loneHost returns the function that the host executes, if it has one thread, else -1.
func (m *Machine) loneHost() int {
	fn := -1
	for _, t := range m.Program.Threads {
		if t.Place.Host && fn >= 0 || m.threads {
			return -1
		}
		if t.Place.Host {
			fn = t.Func
		}
	}
	for _, t := range m.Program.Threads {
		if !t.Place.Host && t.Func == fn {
			return -1
		}
	}
	return fn
}

// traitsBut is traits as if the accesses of one function were not seq_cst.
func (m *Machine) traitsBut(lone int) memmodel.Traits {
	var t memmodel.Traits
	var fine, device bool
	scLoads := make([]bool, len(m.Program.Objects))
	scWrites := make([]bool, len(m.Program.Objects))
	otherWrites := make([]bool, len(m.Program.Objects))
	for fn, f := range m.Program.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			switch {
			case in.Op == ir.OpBarrier:
				t.Fences = true
				continue
			case in.Op == ir.OpFence:
				t.Fences = t.Fences || in.Order != memmodel.Relaxed
			case !in.Op.Access():
				continue
			}
			sc := in.Order == memmodel.SeqCst || in.Op == ir.OpCmpXchg && in.FailOrder == memmodel.SeqCst
			if sc = sc && (fn != lone || in.Op == ir.OpFence); sc {
				t.SeqCst = true
				f, d, other := m.scClass(fn, in)
				fine, device, t.MixedSC = fine || f, device || d, t.MixedSC || other
			}
			if in.Op == ir.OpFence {
				t.SCFences = t.SCFences || sc
				continue
			}
			objects, _, _ := m.points[fn].Address(in)
			for i := range m.Program.Objects {
				if objects.Has(i) {
					scLoads[i] = scLoads[i] || sc && (in.Op == ir.OpLoad || in.Op == ir.OpCmpXchg && in.FailOrder == memmodel.SeqCst)
					scWrites[i] = scWrites[i] || sc && in.Op != ir.OpLoad
					otherWrites[i] = otherWrites[i] || in.Order != memmodel.SeqCst && in.Order != memmodel.NonAtomic && in.Op != ir.OpLoad
				}
			}
		}
	}
	t.MixedSC = t.MixedSC || fine && device
	t.Local = slices.ContainsFunc(m.Program.Objects, func(o ir.Object) bool { return o.Region == memmodel.Local })
	t.Grains = m.deviceQueue || m.grains()
	for i := range scLoads {
		t.Gaps = t.Gaps || scLoads[i] && scWrites[i] && otherWrites[i]
	}
	return t
}

// grains reports whether atomics may synchronise the host with a device, or
// devices with each other, in a program that has coarse-grained memory as well.
func (m *Machine) grains() bool {
	var coarse, shared, apart bool
	for i := range m.Program.Objects {
		o := &m.Program.Objects[i]
		coarse = coarse || o.Region == memmodel.Global && !o.Kind.Fine()
		shared = shared || o.Region == memmodel.Global && o.Kind.SVMAtomics()
	}
	for fn := range m.onHost {
		apart = apart || m.onHost[fn] && m.atomics(fn)
	}
	first := -1
	for i, t := range m.Program.Threads {
		if t.Place.Host {
			continue
		}
		if first < 0 {
			first = i
		}
		apart = apart || !t.Place.SameDevice(m.Program.Threads[first].Place)
	}
	return coarse && shared && apart && !m.Spec.Kindless
}

// atomics reports whether a function has an atomic access.
func (m *Machine) atomics(fn int) bool {
	for _, in := range m.Program.Funcs[fn].Code {
		if in.Op.Access() && in.Order != memmodel.NonAtomic {
			return true
		}
	}
	return false
}

// scClass says which classes of rule 8.1's condition a seq_cst operation may
// belong to: all_svm_devices scope on fine-grained memory with atomics, device
// scope elsewhere, or neither.
func (m *Machine) scClass(fn int, in *ir.Instr) (fine, device, other bool) {
	onFine, elsewhere := false, in.Op == ir.OpFence
	if in.Op != ir.OpFence {
		objects, _, _ := m.points[fn].Address(in)
		for i := range m.Program.Objects {
			if o := &m.Program.Objects[i]; objects.Has(i) {
				f := o.Region == memmodel.Global && o.Kind.SVMAtomics()
				onFine, elsewhere = onFine || f, elsewhere || !f
			}
		}
	}
	switch in.Scope {
	case memmodel.ScopeAllSVMDevices:
		if m.onHost[fn] {
			return onFine, elsewhere, false // the host's atomics have no scope of their own
		}
		exempt := in.Op == ir.OpFence && m.Spec.SCFencesExempt
		return onFine, false, elsewhere && !exempt
	case memmodel.ScopeDevice:
		return false, elsewhere, onFine
	}
	return false, false, true
}

// Pos returns the source position of an instruction of a unit's code.
func (m *Machine) Pos(f *ir.Func, pc int) ir.Pos { return m.Program.Positions[f.Code[pc].Pos] }

// Reach notes that an execution that counts has come to s.
func (m *Machine) Reach(s *State) {
	for str, bit := range m.reachBit {
		if s.reached&bit != 0 {
			m.reached[str].Store(true)
		}
	}
}

// Reached lists the messages that Reach has noted.
func (m *Machine) Reached() []int32 {
	var out []int32
	for str := range m.reached {
		if m.reached[str].Load() {
			out = append(out, int32(str))
		}
	}
	return out
}

// MarkReached notes messages that an earlier search has Reached. Ones that the
// program does not have are ignored.
func (m *Machine) MarkReached(messages []int32) {
	for _, str := range messages {
		if int(str) < len(m.reached) && str >= 0 {
			m.reached[str].Store(true)
		}
	}
}

// Unreached lists the messages of the cl.Reachable calls that no execution has
// reached so far.
func (m *Machine) Unreached() []int32 {
	var out []int32
	seen := map[int32]bool{}
	for _, f := range m.Program.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op == ir.OpReach && !m.reached[in.Str].Load() && !seen[in.Str] {
				seen[in.Str] = true
				out = append(out, in.Str)
			}
		}
	}
	return out
}

// Normalise brings s into canonical form.
func (m *Machine) Normalise(c *memmodel.Canon, s *State) {
	m.lookAhead(c, s)
	c.Normalise(&s.Mem)
	for m.concurrent && m.settle(s) { // the form shows what there is to tell
		c.Normalise(&s.Mem)
	}
}

// lookAhead tells c what is known of the future of s.
func (m *Machine) lookAhead(c *memmodel.Canon, s *State) {
	h := &c.Horizon
	*h = memmodel.Horizon{Keep: m.Keep, Units: h.Units[:0], Wanted: h.Wanted[:0]}
	if !m.PromisesOver(s) || m.apart { // what a unit may promise, or do to what is hidden, is not worked out
		h.Units, h.Wanted = nil, nil
		return
	}
	h.Wanted = append(h.Wanted, s.Cast.final...)
	hosts, pending := 0, false
	for u := range s.Cast.Units {
		unit := &s.Cast.Units[u]
		f := m.Future(s, u)
		h.Units = append(h.Units, f)
		if f != nil {
			for i := range h.Wanted {
				h.Wanted[i] |= f.Peek[i] | f.Modify[i]
			}
		}
		if unit.Func >= 0 && unit.Place.Host {
			hosts++
		}
		pending = pending || s.status[u] == Pending
	}
	h.Closed = !m.enqueues || !m.concurrent && hosts <= 1 && !pending && !m.deviceQueue
	h.Apart = m.concurrent
}

// Choosing reports whether unit u's next operation is a choice of its own.
func (m *Machine) Choosing(s *State, u int) bool {
	if s.status[u] == Ready && s.Cast.Units[u].Func < 0 {
		return len(s.failures(u)) > 1
	}
	return s.status[u] == Ready && m.Program.Funcs[s.Cast.Units[u].Func].Code[s.pc[u]].Op == ir.OpChoose
}

// Reading returns the atomic location that unit u is about to read, if its
// next operation is an atomic load or read-modify-write; else -1. Where writes
// are seen at once, a store counts as a read-modify-write: it competes for its
// place with all that access the location.
func (m *Machine) Reading(s *State, u int) int {
	if s.status[u] != Ready {
		return -1
	}
	unit := &s.Cast.Units[u]
	if unit.Func < 0 {
		return -1
	}
	f := m.Program.Funcs[unit.Func]
	in := &f.Code[s.pc[u]]
	switch {
	case in.Op.Access() && in.Order != memmodel.NonAtomic:
		if in.Op == ir.OpStore && !m.Traits.Interleaved {
			return -1
		}
		x := s.Cast.resolve(unit, operand(f, s.reg(u), in.A))
		if x < 0 || !s.Cast.Layout.Locs[x].Atomic {
			return -1
		}
		return x
	case in.Op.Access() && m.mapping:
		return m.asksFor(s, u, in)
	case in.Op == ir.OpEventStatus:
		return m.asked(s, u)
	case in.Op == ir.OpMapCell:
		return m.undoes(s, u)
	case in.Op == ir.OpMap, in.Op == ir.OpUnmap:
		return m.regionOf(s, u, in)
	case m.threads && (in.Op.Queued() || in.Op == ir.OpFinish):
		return m.turn(f, s.reg(u), in)
	}
	return -1
}

// Modifying reports whether unit u's next operation, of which Reading tells the
// location, is a read-modify-write or compare-exchange, or counts as one.
func (m *Machine) Modifying(s *State, u int) bool {
	op := m.Program.Funcs[s.Cast.Units[u].Func].Code[s.pc[u]].Op
	return op == ir.OpRMW || op == ir.OpCmpXchg || op == ir.OpStore && m.Traits.Interleaved || op.Maps() || op.Queued() || op == ir.OpFinish
}

// Message returns the number, as memmodel.Memory.Label gives them, of the
// message that unit u's next operation reads with that outcome, or -1.
func (m *Machine) Message(s *State, u int, c Choice) int {
	x := m.Reading(s, u)
	if x < 0 || int(c.Back) >= s.Mem.Readable(u, x) || m.Storing(s, u) {
		return -1
	}
	return s.Mem.MessageIndex(x, int(c.Back))
}

// Shared returns the number of locations that are there from the beginning to
// the end, and keep their index; those behind them belong to work-groups.
func (m *Machine) Shared() int { return len(m.shared) }

// Assumes reports whether the program has assumptions, whose failing ends an
// execution.
func (m *Machine) Assumes() bool {
	for _, f := range m.Program.Funcs {
		for pc := range f.Code {
			if f.Code[pc].Op == ir.OpAssume {
				return true
			}
		}
	}
	return false
}
