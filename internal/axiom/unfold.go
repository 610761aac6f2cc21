package axiom

import (
	"errors"
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// The limits of unfolding.
const (
	maxSteps  = 2000    // instructions of one path
	maxEvents = 64      // events of one execution
	maxPaths  = 100_000 // paths of one thread
)

// errFault marks a path that ends in a failed check.
var errFault = errors.New("axiom: a check fails")

// kind is what an action does to memory.
type kind uint8

const (
	read kind = iota
	write
	update  // read-modify-write
	restore // of a value by a map command (rule 2.7)
	fence
	entry // of a barrier: a release fence (rule 11.2)
	exit  // of a barrier: an acquire fence
	command
)

// action is one step of a path that matters to the memory model.
type action struct {
	kind    kind
	loc     int
	order   memmodel.Order
	scope   memmodel.Scope
	flags   memmodel.Flags
	reads   int64 // value read
	writes  int64 // value written
	barrier barrier
	gives   int64 // value passed to a collective
	takes   int64 // value returned by it, to be checked when all have met
	// deps has the bit of each read of the path, by index among its actions,
	// that the action depends on: by its address, its value or control.
	deps set
	cmd  order
	pc   int // in its thread's code
	// operands are, for accounts, what a write is made of.
	operands [2]int64
}

// isRead includes a restore, which writes what the command has seen.
func (a *action) isRead() bool  { return a.kind == read || a.kind == update || a.kind == restore }
func (a *action) isWrite() bool { return a.kind == write || a.kind == update || a.kind == restore }

// barrier is what the work-items that meet at a barrier or collective must agree
// on (rules 4.5, 11.1, 11.6).
type barrier struct {
	site  int32
	round string // the iteration of the loops around it
	flags memmodel.Flags
	scope memmodel.Scope
	sub   bool

	collective bool
	group      ir.Group
	alu        ir.Alu
	from       int64 // who broadcasts
}

// path is one way through a thread's code, for some choice of the values read.
type path struct {
	actions  []action
	observed []observation
	fault    bool  // it ends in a failed check
	partial  bool  // it is the beginning of others
	end      int   // where in the code it ends
	status   int64 // of a callback: what it is told

	needs, gives pairSet // what it reads and writes; set by index
}

// unfolder enumerates the paths of one thread.
type unfolder struct {
	e     *enumerator
	i     int // the thread
	t     *ir.Thread
	f     *ir.Func
	paths []path
	told  int64 // to a callback
	meets int   // collectives on some path, perhaps an unfinished one
}

// unfold returns all paths of a thread in which each read takes any value of
// its location's domain, and each collective returns any value that it may.
func (e *enumerator) unfold(i int) (paths []path, meets int, err error) {
	t := &e.threads[i]
	u := &unfolder{e: e, i: i, t: t, f: e.prog.Funcs[t.Func]}
	args, callback, started, err := e.arguments(i)
	if err != nil || !started {
		return nil, 0, err
	}
	statuses := []int64{0}
	if callback {
		statuses = e.toldStatuses(args[0])
	}
	for _, u.told = range statuses {
		w := walk{regs: make([]int64, u.f.Regs), from: make([]set, u.f.Regs)}
		copy(w.regs[u.f.Private:], args)
		if callback {
			w.regs[u.f.Private] = u.told
		}
		if err := u.run(w); err != nil {
			return nil, 0, err
		}
	}
	return u.paths, u.meets, nil
}

// walk is a path in the making.
type walk struct {
	pc, steps int
	regs      []int64
	from      []set // by register: the reads that its value depends on
	control   set   // the reads that it depends on that the walk is here
	actions   []action
	rounds    []int32 // loops, each time that they have begun a round
	observed  []observation
}

// fork returns a copy that continues independently.
func (w walk) fork() walk {
	w.regs, w.observed = slices.Clone(w.regs), slices.Clip(w.observed)
	w.from = slices.Clone(w.from)
	w.actions, w.rounds = slices.Clip(w.actions), slices.Clip(w.rounds)
	return w
}

func (w *walk) set(r int32, v int64, deps set) {
	if r >= 0 {
		w.regs[r], w.from[r] = v, deps
	}
}

// deps returns the reads that operands depend on.
func (w *walk) deps(operands ...int32) (s set) {
	for _, o := range operands {
		if o >= 0 {
			s |= w.from[o]
		}
	}
	return s
}

func (u *unfolder) value(w *walk, operand int32) int64 {
	if operand < 0 {
		return u.f.Consts[^operand]
	}
	return w.regs[operand]
}

// emit completes a path.
func (u *unfolder) emit(w walk, fault bool) error {
	if u.e.why != nil && u.e.why.stopped() {
		return ErrStopped
	}
	if len(u.paths) == u.e.opt.MaxCandidates {
		return fmt.Errorf("%w: thread %s has more than %d paths", ErrCandidates, u.t.Name, len(u.paths))
	}
	if len(u.paths) == maxPaths {
		return fmt.Errorf("axiom: thread %s has too many paths", u.t.Name)
	}
	u.paths = append(u.paths, path{actions: w.actions, observed: w.observed, fault: fault, end: w.pc, status: u.told})
	return nil
}

// drop notes what comes before an assumption that fails.
func (u *unfolder) drop(w walk) error {
	if len(u.e.dropped) == maxPaths {
		return fmt.Errorf("axiom: thread %s fails assumptions in too many ways", u.t.Name)
	}
	u.e.dropped = append(u.e.dropped, path{actions: w.actions})
	return nil
}

// run follows a walk to its ends.
func (u *unfolder) run(w walk) error {
	for {
		if w.steps++; w.steps > maxSteps || len(w.actions) > maxEvents {
			return fmt.Errorf("axiom: thread %s exceeds the step limit, as in an unbounded loop", u.t.Name)
		}
		in := &u.f.Code[w.pc]
		if in.Op.Visible() {
			if more, err := u.visible(&w, in); !more || err != nil {
				return err
			}
			continue
		}
		switch in.Op {
		case ir.OpEnd:
			return u.emit(w, false)
		case ir.OpAssume:
			w.control |= w.deps(in.A)
			if u.value(&w, in.A) == 0 {
				if u.e.why != nil {
					u.e.why.account.Ended = true
				}
				return u.drop(w) // no execution
			}
		case ir.OpCheck, ir.OpAssert:
			w.control |= w.deps(in.A)
			if u.value(&w, in.A) == 0 {
				return u.emit(w, true)
			}
		}
		if err := u.local(&w, in); err == errFault {
			return u.emit(w, true)
		} else if err != nil {
			return err
		}
	}
}

// local executes an operation that no other thread can notice.
func (u *unfolder) local(w *walk, in *ir.Instr) (err error) {
	var v int64
	next := int32(w.pc) + 1
	switch in.Op {
	case ir.OpMove:
		w.set(in.Dst, u.value(w, in.A), w.deps(in.A))
	case ir.OpBin:
		v, err = binary(in.Alu, in.Type, u.value(w, in.A), u.value(w, in.B))
		w.set(in.Dst, v, w.deps(in.A, in.B))
	case ir.OpUn:
		v, err = unary(in.Alu, in.Type, u.value(w, in.A))
		w.set(in.Dst, v, w.deps(in.A))
	case ir.OpConv:
		w.set(in.Dst, wrap(in.Type, u.value(w, in.A)), w.deps(in.A))
	case ir.OpJump:
		next = in.Target
	case ir.OpBranch:
		w.control |= w.deps(in.A)
		if next = in.Else; u.value(w, in.A) != 0 {
			next = in.Target
		}
	case ir.OpQuery:
		w.set(in.Dst, query(in.Query, &u.t.Item, u.value(w, in.A)), 0)
	case ir.OpRound:
		w.rounds = append(w.rounds, in.Rounds.Loops[0])
	case ir.OpObserve:
		w.observed = append(w.observed, observation{in.Str, in.PerItem, u.value(w, in.A)})
	}
	w.pc = int(next)
	return err
}

// visible executes an operation of the memory model; more is false if the
// walk was completed by its forks.
func (u *unfolder) visible(w *walk, in *ir.Instr) (more bool, err error) {
	switch in.Op {
	case ir.OpFence:
		if err := legalFence(in); err != nil {
			return false, err
		}
		w.actions = append(w.actions, action{kind: fence, loc: -1, order: in.Order, scope: in.Scope, flags: in.Flags, pc: w.pc})
	case ir.OpBarrier:
		u.meet(w, in)
	case ir.OpCollective:
		return false, u.collect(w, in)
	case ir.OpChoose:
		for v := range u.value(w, in.A) {
			f := w.fork()
			f.pc++
			f.set(in.Dst, v, 0)
			if err := u.run(f); err != nil {
				return false, err
			}
		}
		return false, nil
	case ir.OpLoad, ir.OpStore, ir.OpRMW, ir.OpCmpXchg:
		return u.access(w, in)
	case ir.OpMapCell:
		return u.mapCell(w, in)
	case ir.OpEventStatus:
		return false, u.status(w, in)
	default:
		return u.command(w, in)
	}
	w.pc++
	return true, nil
}

// meet adds the two fences that a barrier consists of (rule 11.2).
func (u *unfolder) meet(w *walk, in *ir.Instr) {
	b := barrier{site: in.Str, round: w.iteration(in), flags: in.Flags, scope: in.Scope, sub: in.SubGroup}
	a := action{kind: entry, loc: -1, order: memmodel.Release, scope: in.Scope, flags: in.Flags, barrier: b, pc: w.pc}
	w.actions = append(w.actions, a)
	a.kind, a.order = exit, memmodel.Acquire
	w.actions = append(w.actions, a)
}

// iteration returns which iteration of the loops around it a meeting is in (rule
// 11.1): how often the outermost has begun a round; and of each other, how often
// since the one around it has begun its last.
func (w *walk) iteration(in *ir.Instr) string {
	if in.Rounds == nil {
		return ""
	}
	var rounds []int
	last := w.rounds
	for _, loop := range in.Rounds.Loops {
		n, since := 0, last
		for i, l := range last {
			if l == loop {
				n, since = n+1, last[i+1:]
			}
		}
		rounds, last = append(rounds, n), since
	}
	return fmt.Sprint(rounds)
}

// access executes a load, store, read-modify-write or compare-exchange.
func (u *unfolder) access(w *walk, in *ir.Instr) (more bool, err error) {
	pointer := u.value(w, in.A)
	if r := pointer &^ ir.SegMask; pointer&ir.SegMask == ir.SegPrivate && r < int64(u.f.Private) {
		return true, u.private(w, in, int32(r))
	}
	loc := u.e.locate(u.t, pointer)
	if loc < 0 {
		return false, u.emit(*w, true)
	}
	if err := legalAccess(in, &u.e.locs[loc]); err != nil {
		return false, err
	}
	a := action{loc: loc, order: in.Order, scope: in.Scope, deps: w.control | w.deps(in.A), pc: w.pc}
	if in.Op != ir.OpLoad {
		a.operands[0] = u.value(w, in.B)
	}
	if in.Op == ir.OpCmpXchg {
		a.operands[1] = u.value(w, in.C)
	}
	if in.Op == ir.OpStore {
		a.kind, a.writes = write, wrap(in.Type, u.value(w, in.B))
		a.deps |= w.deps(in.B)
		w.actions = append(w.actions, a)
		w.pc++
		return true, nil
	}
	for _, v := range u.e.domains[loc] {
		a.reads = v
		if err := u.reading(w, in, a); err != nil {
			return false, err
		}
	}
	return false, nil
}

// private accesses an addressable register.
func (u *unfolder) private(w *walk, in *ir.Instr, r int32) error {
	switch {
	case in.Order != memmodel.NonAtomic:
		return fmt.Errorf("axiom: atomic operation on private memory (rule 1.6)")
	case in.Op == ir.OpLoad:
		w.set(in.Dst, w.regs[r], w.from[r])
	default:
		w.set(r, wrap(in.Type, u.value(w, in.B)), w.deps(in.B))
	}
	w.pc++
	return nil
}

// reading continues with each result of an operation that reads a.reads.
func (u *unfolder) reading(w *walk, in *ir.Instr, a action) error {
	switch in.Op {
	case ir.OpRMW:
		a.deps |= w.deps(in.B)
	case ir.OpCmpXchg:
		a.deps |= w.deps(in.B, in.C)
	}
	var me set
	me.add(len(w.actions))
	proceed := func(a action, results func(*walk)) error {
		f := w.fork()
		f.actions = append(f.actions, a)
		f.pc++
		results(&f)
		return u.run(f)
	}
	switch in.Op {
	case ir.OpLoad:
		return proceed(a, func(f *walk) { f.set(in.Dst, a.reads, me) })
	case ir.OpRMW:
		v, err := binary(in.Alu, in.Type, a.reads, u.value(w, in.B))
		if err != nil {
			return err
		}
		a.kind, a.writes = update, v
		return proceed(a, func(f *walk) { f.set(in.Dst, a.reads, me) })
	}
	equal := a.reads == u.value(w, in.B)
	result := func(ok int64) func(*walk) {
		return func(f *walk) {
			f.set(in.Dst2, a.reads, me)
			f.set(in.Dst, ok, me)
		}
	}
	if equal {
		success := a
		success.kind, success.writes = update, wrap(in.Type, u.value(w, in.C))
		if err := proceed(success, result(1)); err != nil {
			return err
		}
	}
	if !equal || in.Weak { // rules 10.2, 10.3: a failure is a load
		a.order = in.FailOrder
		return proceed(a, result(0))
	}
	return nil
}

// legalAccess diagnoses the uses that rules 4.1, 4.2 and 4.6 exclude.
func legalAccess(in *ir.Instr, l *location) error {
	o := in.Order
	illegal := o != memmodel.NonAtomic && !l.atomic
	switch in.Op {
	case ir.OpLoad:
		illegal = illegal || o == memmodel.Release || o == memmodel.AcqRel
	case ir.OpStore:
		illegal = illegal || o == memmodel.Acquire || o == memmodel.AcqRel
	case ir.OpRMW:
		illegal = illegal || o == memmodel.NonAtomic
	case ir.OpCmpXchg:
		fail := in.FailOrder
		illegal = illegal || o == memmodel.NonAtomic || fail == memmodel.NonAtomic || fail == memmodel.Release || fail == memmodel.AcqRel
	}
	if illegal {
		return fmt.Errorf("axiom: illegal access to %s with order %v", l.name, o)
	}
	return nil
}

// legalFence diagnoses the uses that rule 4.3 excludes.
func legalFence(in *ir.Instr) error {
	if in.Flags == 0 || in.Order == memmodel.NonAtomic {
		return fmt.Errorf("axiom: illegal fence with flags %v and order %v", in.Flags, in.Order)
	}
	return nil
}
