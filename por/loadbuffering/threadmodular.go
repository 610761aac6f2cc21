package loadbuffering

import (
	"encoding/binary"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Thread-modular analysis (Flanagan and Qadeer, "Thread-modular model checking", SPIN 2003): each work-item and
// host thread is run by itself, and whatever it reads is any value that some thread may write there. That finds
// all values of a cell and all that each thread may do. It finds too much, as the order in which other threads act
// is lost. It tells what the code alone does not: that the slots of a hash table are shared only by keys of the
// same hash.
//
// Three facts about the order are kept. A thread can read a value that only it writes only after it has written
// it. The writes of another thread that a thread has read from must be on one path of that thread. And writes that
// change a cell, each by a thread that knows of the one before, are no more in a row than all threads together
// perform: a counter to which n threads add 1 has n+1 values. None of these facts needs the write that is read to
// be earlier in time, which with promises it need not be: a promised write is on its thread's path, too.

// threadModular is one run of the analysis.
// docs/exploration/thread-modular.md, "Thread by thread".
type threadModular struct {
	m             *program                // what it is an analysis of
	sequential    *state.SequentialRunner // runs private instructions
	dependencies  *dependencies           // what decisions depend on
	monotone      *monotonicities         // assumed of the cells; nil: of none
	threads       []*thread               // by number
	launches      map[string]int          // by what they launch: their numbers, from 1
	launched      []launching             // every place that launches, with what
	cells         []*cellState            // by number
	index         map[cellKey]int         // numbers the cells
	paths         int                     // version of what is known about writes on one path
	work          int                     // done so far
	size          int                     // number of chain lengths of all nodes
	failed        bool                    // the analysis is beyond its bounds
	onlyCommuting []bool                  // by cell; nil until commutingOnly is asked
}

// The bounds on an analysis.
const (
	maxModularThreads = 1 << 11
	maxModularValues  = 1 << 9  // of a cell
	maxModularWriters = 1 << 3  // of a value that are told apart
	maxModularWork    = 1 << 18 // outcomes of operations, again and again
	maxModularSize    = 1 << 21 // of what threads know of cells, eight bytes each
	maxModularSteps   = 1 << 14 // private instructions between two visible ones
)

// launching is a place where a host thread launches a kernel.
type launching struct {
	thread *thread // the host thread
	node   int32   // where it is then
	launch int     // the number of what it launches
}

// thread is a unit of execution, analysed by itself.
type thread struct {
	number int               // its place in the analysis's threads
	unit   state.Role        // what it executes, and as whom
	launch int               // 0 for a thread that the program starts with
	once   bool              // it exists once
	nodes  []*node           // where it can be, from where it begins
	index  map[string]int32  // numbers the nodes, by pc, registers and what is latest
	writes map[cellValue]int // numbers them
	before []facts.Set       // by write: those that may come before it
}

// threadWrite names a write by its thread and its number there.
type threadWrite struct{ thread, write int } // both by number

type cellValue struct {
	cell  int   // by number
	value int64 // that is written
}

// node is a state of a thread that is about to perform a visible operation.
type node struct {
	pc       int32         // of the operation
	regs     []int64       // before it
	latest   []latest      // of the cells that have a monotonicity, by number
	cell     int           // that it accesses, or nowhere
	outcomes []outcome     // its outcomes so far
	version  int           // the cell.s version then
	stale    bool          // the outcomes must be found again
	entered  bool          // some path has come here
	wrote    facts.Set     // the thread.s writes on some path here
	past     []chainLength // by cell
	readFrom []threadWrite // writes of others that each path here has read from
	refused  bool          // a value was refused because of readFrom
	paths    int           // the analysis.s version of paths then
}

// chainLength is the least number of changing writes to a cell that a thread can know of, if it is not 0.
type chainLength struct{ cell, row int32 } // by number; and how few

// rowOf returns the least number of changing writes to a cell that the thread can know of at the node.
func (n *node) rowOf(cell int) int {
	if i, ok := slices.BinarySearchFunc(n.past, cell, func(k chainLength, cell int) int { return int(k.cell) - cell }); ok {
		return int(n.past[i].row)
	}
	return 0
}

// outcome is one result of a node's operation and the node to which it leads.
type outcome struct {
	to            int32       // the next node, or nowhere
	reads, writes bool        // whether it does
	read, written int64       // which values
	from          threadWrite // the write that is read from, if thread >= 0
	failed        bool        // of a compare-exchange
	symbolic      bool        // the values stand for any
	uninitialised bool        // an uninitialised value is read
	observable    bool        // it belongs to what an execution is told by
}

// changes reports whether the outcome may change the cell's value.
func (e *outcome) changes() bool {
	return e.writes && (e.symbolic || !(e.reads && e.read == e.written))
}

const nowhere = -1

// analyse returns the analysis of the program, or nil if that is beyond its bounds. Decisions depend also on what
// the owed writes write, by function and pc; owed may be nil. Monotone cells are assumed only where the analysis
// is beyond its bounds without them.
func (m *program) analyse(owed [][]bool) *threadModular {
	if m.Beyond || m.Maps || len(m.Copies) > 0 {
		return nil
	}
	for _, c := range []*monotonicities{nil, m.assumeMonotone(false), m.assumeMonotone(true)} {
		if a := m.analyseWith(owed, c); a != nil {
			return a
		}
	}
	return nil
}

// analyseAgain is analyse with what is already known about the bounds: owed writes make an analysis no smaller.
func (a *threadModular) analyseAgain(owed [][]bool) *threadModular {
	if a.monotone != nil {
		return a.m.analyseWith(owed, a.m.assumeMonotone(a.monotone.falling))
	}
	return a.m.analyse(owed)
}

// analyseWith is analyse with the assumed monotonicities, which may be nil.
func (m *program) analyseWith(owed [][]bool, c *monotonicities) *threadModular {
	d := m.undecided()
	d.owed = owed
	d.learn()
	for work := 0; work <= maxModularWork; {
		a := m.walk(d, c)
		if work += a.work; d.stale && d.learn() {
			continue
		}
		switch {
		case !a.failed:
			return a
		case c == nil || !c.refuted:
			return nil
		}
		c.refuted = false
	}
	return nil
}

// walk returns the analysis under given dependencies and monotonicities, as far as it comes.
func (m *program) walk(d *dependencies, c *monotonicities) *threadModular {
	a := &threadModular{m: m, sequential: m.machine.Promises().Runner(), dependencies: d, monotone: c, launches: map[string]int{}, index: map[cellKey]int{}}
	for i := range m.Program.Threads {
		p := &m.Program.Threads[i]
		a.start(state.Role{Func: p.Func, Place: p.Place, Item: p.Item}, 0, nil)
	}
	for again := true; again && !a.failed; {
		a.grow()
		again = !a.failed && a.raise()
	}
	if !a.failed {
		a.prune()
	}
	return a
}

// start adds a thread.
func (a *threadModular) start(u state.Role, launch int, args []int64) {
	if a.failed = a.failed || len(a.threads) == maxModularThreads; a.failed {
		return
	}
	f := a.m.Program.Funcs[u.Func]
	t := &thread{
		number: len(a.threads), unit: u, launch: launch, once: true,
		index: map[string]int32{}, writes: map[cellValue]int{},
	}
	a.threads = append(a.threads, t)
	regs := make([]int64, f.Regs)
	copy(regs[f.Private:f.Private+f.Params], args)
	pc := a.begin(t, regs)
	if i, _ := a.runOn(t, pc, regs, nil); i != nowhere {
		t.nodes[i].entered = true
	}
}

// launch adds the work-items of a kernel, unless they are there already.
func (a *threadModular) launch(t *thread, i int32, in *ir.Instr) {
	n, f := t.nodes[i], a.m.Program.Funcs[t.unit.Func]
	args := make([]int64, 0, len(in.Args))
	for _, o := range in.Args {
		args = append(args, f.Operand(n.regs, o))
	}
	args = slices.Delete(args, ir.NDRangeHeader, ir.NDRangeHeader+int(in.Waits))[1:]
	place := t.unit.Place
	place.Host = false
	items, params, ok := a.sequential.Items(place, int(in.Target), args)
	if !ok {
		return // nobody goes on
	}
	b := binary.AppendVarint(nil, int64(t.number))
	for _, v := range append(args, int64(n.pc)) {
		b = binary.AppendVarint(b, v)
	}
	launch, known := a.launches[string(b)]
	if !known {
		launch = len(a.launches) + 1
		a.launches[string(b)] = launch
		for _, u := range items {
			a.start(u, launch, params)
		}
	}
	a.launched = append(a.launched, launching{t, i, launch})
}

// runOn runs a thread to its next visible operation and returns the node there. observable says that what it has
// done belongs to what an execution is told by.
func (a *threadModular) runOn(t *thread, pc int32, regs []int64, known []latest) (to int32, observable bool) {
	at, observable := a.sequential.Run(&t.unit, pc, regs, maxModularSteps)
	switch at {
	case state.RunOver:
		return nowhere, true
	case state.RunLost:
		a.failed = true
		return nowhere, true
	}
	return a.node(t, at, regs, known), observable
}

// node returns the node of a thread at a visible operation.
func (a *threadModular) node(t *thread, pc int32, regs []int64, known []latest) int32 {
	for _, r := range a.m.Plans[t.unit.Func][pc].Dead {
		regs[r] = 0
	}
	a.dependencies.drop(t.unit.Func, pc, regs)
	key := binary.AppendUvarint(nil, uint64(pc))
	for _, r := range regs {
		key = binary.AppendVarint(key, r)
	}
	for _, r := range known {
		key = binary.AppendVarint(binary.AppendUvarint(key, uint64(r.cell)), r.value)
	}
	i, ok := t.index[string(key)]
	if !ok {
		i = int32(len(t.nodes))
		t.index[string(key)] = i
		t.nodes = append(t.nodes, &node{pc: pc, regs: regs, latest: known, cell: nowhere, stale: true})
	}
	return i
}

// grow expands nodes until nothing new is found.
func (a *threadModular) grow() {
	for changed := true; changed && !a.failed; {
		changed = false
		for i := 0; i < len(a.threads); i++ {
			t := a.threads[i]
			for n := 0; n < len(t.nodes) && !a.failed; n++ {
				if k := t.nodes[n]; k.stale || k.refused && k.paths != a.paths || k.cell >= 0 && k.version != a.cells[k.cell].version {
					a.expand(t, int32(n))
					changed = true
				}
			}
		}
	}
}

// expand finds the outcomes of a node's operation.
func (a *threadModular) expand(t *thread, i int32) {
	n, f := t.nodes[i], a.m.Program.Funcs[t.unit.Func]
	in := &f.Code[n.pc]
	first := n.outcomes == nil
	n.outcomes, n.stale, n.refused, n.paths = n.outcomes[:0], false, false, a.paths
	switch {
	case in.Op.Access():
		if n.cell = a.resolve(t, f.Operand(n.regs, in.A), in); n.cell >= 0 {
			n.version = a.cells[n.cell].version
			a.dependencies.touch(t.unit.Func, n.pc, a.cells[n.cell].object)
			a.access(t, n, f, in)
		}
	case in.Op == ir.OpEnqueueNDRange && in.Dst < 0:
		if first {
			a.launch(t, i, in)
		}
		a.addOutcome(t, n, outcome{}, in, 0, 0)
	case in.Op == ir.OpFence, in.Op == ir.OpBarrier, in.Op == ir.OpFinish:
		a.addOutcome(t, n, outcome{}, in, 0, 0)
	case in.Op == ir.OpChoose:
		for v := range min(f.Operand(n.regs, in.A), maxModularWork) {
			a.addOutcome(t, n, outcome{}, in, v, 0)
		}
	default:
		a.failed = true
	}
}

// access finds the outcomes of an access.
func (a *threadModular) access(t *thread, n *node, f *ir.Func, in *ir.Instr) {
	c := a.cells[n.cell]
	if c.symbolic {
		a.accessSymbolic(t, n, in)
		return
	}
	w := f.Intent(in, n.regs)
	if in.Op == ir.OpStore {
		if in.Type != ir.Ptr || !facts.Narrower(w.B, a.m.Program.Objects[c.object].Region) {
			a.addOutcome(t, n, outcome{writes: true, written: w.B}, in, 0, 0)
		}
		return
	}
	if c.uninitialised && in.Order == memmodel.NonAtomic { // who goes on, as if that were 0
		a.addOutcome(t, n, outcome{reads: true, from: threadWrite{thread: -1}, uninitialised: true}, in, 0, 0)
	}
	for i := 0; i < len(c.list) && !a.failed; i++ { // which may grow meanwhile
		v := c.list[i]
		if a.pastValue(n, v) {
			continue
		}
		from, ok := a.readable(t, n, v)
		if !ok {
			continue
		}
		switch in.Op {
		case ir.OpLoad:
			a.addOutcome(t, n, outcome{reads: true, from: from, read: v}, in, v, 0)
		case ir.OpRMW:
			val, _ := w.Modified(v)
			a.addOutcome(t, n, outcome{reads: true, from: from, writes: true, read: v, written: val}, in, v, 0)
		case ir.OpCmpXchg:
			val, hit := w.Modified(v)
			if hit {
				a.addOutcome(t, n, outcome{reads: true, from: from, writes: true, read: v, written: val}, in, 1, v)
			}
			if !hit || in.Weak {
				a.addOutcome(t, n, outcome{reads: true, from: from, read: v, failed: true}, in, 0, v)
			}
		default: // none is known, which is not the same as that there is none
			a.failed = true
		}
	}
}

// accessSymbolic finds the outcome of an access to a symbolic cell.
func (a *threadModular) accessSymbolic(t *thread, n *node, in *ir.Instr) {
	a.addOutcome(t, n, outcome{reads: in.Op != ir.OpStore, from: threadWrite{thread: -1}, writes: in.Op != ir.OpLoad, symbolic: true}, in, 0, 0)
}

// addOutcome adds an outcome of a node's operation, whose results are v and v2.
func (a *threadModular) addOutcome(t *thread, n *node, e outcome, in *ir.Instr, v, v2 int64) {
	if a.work += 1 + len(n.regs)/32; a.work > maxModularWork || a.m.Halted() {
		a.failed = true
		return
	}
	if a.noteMonotonicity(t, n, &e, in); a.failed {
		return
	}
	row := 0
	if n.cell >= 0 {
		row = a.rowAfter(n, &e)
		if e.writes {
			a.number(t, n, e.written)
			a.write(t, n.cell, e.written, row)
		}
	}
	regs := slices.Clone(n.regs)
	if d, d2 := in.Results(); d >= 0 || d2 >= 0 {
		set(regs, d2, v2)
		set(regs, d, v)
	}
	if in.Rounds != nil {
		in.Rounds.Clear(regs)
	}
	e.to, e.observable = a.runOn(t, n.pc+1, regs, a.latestAfter(t, n, &e))
	e.observable = e.observable || a.dependencies.forgets(t.unit.Func, n.pc, t.nodes[e.to].pc)
	n.outcomes = append(n.outcomes, e)
	if e.to != nowhere {
		a.arrive(t, n, &e, row)
	}
}

// number numbers a write of a thread and records which writes may come before it.
func (a *threadModular) number(t *thread, n *node, v int64) {
	k := cellValue{n.cell, v}
	w, ok := t.writes[k]
	if !ok {
		w = len(t.writes)
		t.writes[k] = w
		t.before = append(t.before, nil)
	}
	if t.before[w].Unite(n.wrote) {
		a.paths++
	}
}

// arrive records, at the node to which an outcome leads, what the thread has written and read on the way, and of
// how many writes to the node's cell it knows.
func (a *threadModular) arrive(t *thread, n *node, e *outcome, row int) {
	to := t.nodes[e.to]
	changed := to.wrote.Unite(n.wrote)
	if e.writes {
		changed = to.wrote.Insert(t.writes[cellValue{n.cell, e.written}]) || changed
	}
	saw := n.readFrom
	if e.reads && e.from.thread >= 0 && !slices.Contains(saw, e.from) {
		saw = append(saw[:len(saw):len(saw)], e.from)
	}
	if !to.entered {
		to.entered, to.readFrom, changed = true, slices.Clone(saw), true
		to.past = a.remember(n, row)
	}
	for i := range to.past {
		k := &to.past[i]
		r := n.rowOf(int(k.cell))
		if int(k.cell) == n.cell {
			r = row
		}
		if r < int(k.row) {
			k.row = int32(r)
			changed = true
		}
	}
	if seen := len(to.readFrom); seen > 0 {
		to.readFrom = slices.DeleteFunc(to.readFrom, func(w threadWrite) bool { return !slices.Contains(saw, w) })
		changed = changed || len(to.readFrom) < seen
	}
	to.stale = to.stale || changed
}

// remember returns the chain lengths that a thread knows after an outcome of a node's operation.
func (a *threadModular) remember(n *node, row int) []chainLength {
	past := make([]chainLength, len(n.past), len(n.past)+1)
	copy(past, n.past)
	if row > 0 {
		i, ok := slices.BinarySearchFunc(past, n.cell, func(k chainLength, cell int) int { return int(k.cell) - cell })
		if !ok {
			past = slices.Insert(past, i, chainLength{cell: int32(n.cell)})
		}
		past[i].row = int32(row)
	}
	a.size += len(past)
	a.failed = a.failed || a.size > maxModularSize
	return past
}
