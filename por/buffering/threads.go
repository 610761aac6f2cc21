package buffering

import (
	"encoding/binary"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Thread-modular analysis (Flanagan and Qadeer, "Thread-modular model checking",
// SPIN 2003): each work-item and host thread is walked by itself, and whatever
// it reads is any value that somebody may write there. That finds all values
// that a cell can have and all that each thread may do, and more: the order in which
// others do it is lost. It tells that a hash table's slots are each other's
// business only where two keys have the same, which the code alone does not.
//
// Three things are kept of the order. What a thread has written itself it can read only
// afterwards. What it reads of another's writes must be on one path of that one's. And
// writes that change a cell, each by a thread that knows of the one before, are no more
// in a row than all threads together perform: a counter to which n of them add 1 has n+1
// values. None of that relies on what is read being written earlier in time, which with
// promises is not so: what has been promised is on the promiser's path, too.

// modular is an analysis.
// docs/exploration/thread-modular.md, "Thread by thread".
type modular struct {
	m        *program        // what it is an analysis of
	lone     *state.Lone     // executes what is private to a thread
	decides  *deciding       // what is more than carried
	courses  *courses        // those of the cells; nil if that is not asked
	threads  []*thread       // by number
	launches map[string]int  // by what they launch: their numbers, from 1
	launched []launching     // every place that launches, with what
	cells    []*modularCell  // by number
	index    map[cellKey]int // numbers the cells
	paths    int             // changes when two writes are found to be on one path
	work     int             // done so far
	size     int             // of what is known at all nodes
	failed   bool            // it is too much
	unseen   []bool          // by cell: it is blind; nil if nobody has asked
}

// The bounds on an analysis.
const (
	maxModularThreads = 1 << 9
	maxModularValues  = 1 << 9  // of a cell
	maxModularWriters = 1 << 3  // of a value that are told apart
	maxModularWork    = 1 << 18 // outcomes of operations, again and again
	maxModularSize    = 1 << 21 // of what threads know of cells, eight bytes each
	maxModularSteps   = 1 << 14 // private instructions between two visible ones
)

// launching is where a host thread launches a kernel.
type launching struct {
	thread *thread // the host thread
	node   int32   // where it is then
	launch int     // the number of what it launches
}

// thread is a unit of execution by itself.
type thread struct {
	number int               // its place in the analysis's threads
	unit   state.Role        // what it executes, and as whom
	launch int               // 0 for a thread that the program starts with
	once   bool              // no other one is the same
	nodes  []*node           // where it can be, from where it begins
	index  map[string]int32  // numbers the nodes, by pc, registers and what is latest
	writes map[cellValue]int // numbers them
	before []facts.Set       // by write: those that may come before it
}

// own names a write of a thread by its number.
type own struct{ thread, write int } // both by number

type cellValue struct {
	cell  int   // by number
	value int64 // that is written
}

// node is where a thread can be: about to perform a visible operation.
type node struct {
	pc      int32     // of the operation
	regs    []int64   // before it
	latest  []latest  // of the cells that have a course, by number
	cell    int       // that it accesses, or nowhere
	edges   []edge    // its outcomes so far
	version int       // of the cell, when the edges were found
	stale   bool      // they must be found again
	entered bool      // what follows is known of some path here
	wrote   facts.Set // of the thread's writes, those that some path here has
	past    []known   // by cell: how few writes that change it the thread can know of here
	saw     []own     // the writes of others that all paths here have read
	refused bool      // some value could not be read as it would not have been on one path with those
	paths   int       // the analysis's, then
}

// known is how few writes that change a cell a thread can know of, if that is not 0.
type known struct{ cell, row int32 } // by number; and how few

// rowOf returns how few writes that change a cell the thread can know of at the node.
func (n *node) rowOf(cell int) int {
	if i, ok := slices.BinarySearchFunc(n.past, cell, func(k known, cell int) int { return int(k.cell) - cell }); ok {
		return int(n.past[i].row)
	}
	return 0
}

// edge is an outcome of a node's operation.
type edge struct {
	to            int32 // node, or nowhere at an end
	reads, writes bool  // whether it does
	read, written int64 // which values
	from          own   // whose write is read, if thread >= 0
	failed        bool  // of a compare-exchange
	carried       bool  // the values stand for any
	blank         bool  // what is read is nobody's, nor there at first
	mark          bool  // what follows belongs to the outcome of the execution
}

// changes reports whether the outcome changes the cell's value, for all that is known.
func (e *edge) changes() bool {
	return e.writes && (e.carried || !(e.reads && e.read == e.written))
}

const nowhere = -1

// analyse returns the analysis of the program, or nil if it is beyond it. What the writes that are owed write, by function
// and pc, decides, too; nil if none are. Which courses cells have is asked only where it is beyond it otherwise.
func (m *program) analyse(owed [][]bool) *modular {
	if m.Beyond || m.Maps || len(m.Copies) > 0 {
		return nil
	}
	for _, c := range []*courses{nil, m.unknown(false), m.unknown(true)} {
		if a := m.analyseWith(owed, c); a != nil {
			return a
		}
	}
	return nil
}

// analyseAgain is analyse where it is known already what is too much: what is owed makes it no less.
func (a *modular) analyseAgain(owed [][]bool) *modular {
	if a.courses != nil {
		return a.m.analyseWith(owed, a.m.unknown(a.courses.falling))
	}
	return a.m.analyse(owed)
}

// analyseWith is analyse with what is known of the cells' courses.
func (m *program) analyseWith(owed [][]bool, c *courses) *modular {
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

// walk returns the analysis with what is known to decide, and of the courses, as far as it goes.
func (m *program) walk(d *deciding, c *courses) *modular {
	a := &modular{m: m, lone: state.NewLone(m.machine), decides: d, courses: c, launches: map[string]int{}, index: map[cellKey]int{}}
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
func (a *modular) start(u state.Role, launch int, args []int64) {
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

// launch adds the work-items of a kernel, unless they are known.
func (a *modular) launch(t *thread, i int32, in *ir.Instr) {
	n, f := t.nodes[i], a.m.Program.Funcs[t.unit.Func]
	args := make([]int64, 0, len(in.Args))
	for _, o := range in.Args {
		args = append(args, f.Operand(n.regs, o))
	}
	args = slices.Delete(args, ir.NDRangeHeader, ir.NDRangeHeader+int(in.Waits))[1:]
	place := t.unit.Place
	place.Host = false
	items, params, ok := a.lone.Items(place, int(in.Target), args)
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

// runOn lets a thread run to its next visible operation, and returns the node
// there.
func (a *modular) runOn(t *thread, pc int32, regs []int64, known []latest) (to int32, mark bool) {
	at, mark := a.lone.Run(&t.unit, pc, regs, maxModularSteps)
	switch at {
	case state.LoneOver:
		return nowhere, true
	case state.LoneLost:
		a.failed = true
		return nowhere, true
	}
	return a.node(t, at, regs, known), mark
}

// node returns the node of a thread at a visible operation.
func (a *modular) node(t *thread, pc int32, regs []int64, known []latest) int32 {
	for _, r := range a.m.Plans[t.unit.Func][pc].Dead {
		regs[r] = 0
	}
	a.decides.drop(t.unit.Func, pc, regs)
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

// grow walks all threads until nothing new is found.
func (a *modular) grow() {
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
func (a *modular) expand(t *thread, i int32) {
	n, f := t.nodes[i], a.m.Program.Funcs[t.unit.Func]
	in := &f.Code[n.pc]
	first := n.edges == nil
	n.edges, n.stale, n.refused, n.paths = n.edges[:0], false, false, a.paths
	switch {
	case in.Op.Access():
		if n.cell = a.resolve(t, f.Operand(n.regs, in.A), in); n.cell >= 0 {
			n.version = a.cells[n.cell].version
			a.decides.touch(t.unit.Func, n.pc, a.cells[n.cell].object)
			a.access(t, n, f, in)
		}
	case in.Op == ir.OpEnqueueNDRange && in.Dst < 0:
		if first {
			a.launch(t, i, in)
		}
		a.addOutcome(t, n, edge{}, in, 0, 0)
	case in.Op == ir.OpFence, in.Op == ir.OpBarrier, in.Op == ir.OpFinish:
		a.addOutcome(t, n, edge{}, in, 0, 0)
	case in.Op == ir.OpChoose:
		for v := range min(f.Operand(n.regs, in.A), maxModularWork) {
			a.addOutcome(t, n, edge{}, in, v, 0)
		}
	default:
		a.failed = true
	}
}

// access finds the outcomes of an access.
func (a *modular) access(t *thread, n *node, f *ir.Func, in *ir.Instr) {
	c, b := a.cells[n.cell], int64(0)
	if in.Op != ir.OpLoad {
		b = f.Operand(n.regs, in.B)
	}
	if c.carried {
		a.carry(t, n, in)
		return
	}
	if in.Op == ir.OpStore {
		if in.Type != ir.Ptr || !facts.Narrower(b, a.m.Program.Objects[c.object].Region) {
			a.addOutcome(t, n, edge{writes: true, written: b}, in, 0, 0)
		}
		return
	}
	if c.blank && in.Order == memmodel.NonAtomic { // who goes on, as if that were 0
		a.addOutcome(t, n, edge{reads: true, from: own{thread: -1}, blank: true}, in, 0, 0)
	}
	for i := 0; i < len(c.list) && !a.failed; i++ { // which may grow meanwhile
		v := c.list[i]
		if a.behind(n, v) {
			continue
		}
		from, ok := a.readable(t, n, v)
		if !ok {
			continue
		}
		switch in.Op {
		case ir.OpLoad:
			a.addOutcome(t, n, edge{reads: true, from: from, read: v}, in, v, 0)
		case ir.OpRMW:
			val, _ := ir.Eval(in.Alu, in.Type, v, b)
			a.addOutcome(t, n, edge{reads: true, from: from, writes: true, read: v, written: val}, in, v, 0)
		case ir.OpCmpXchg:
			if v == b {
				a.addOutcome(t, n, edge{reads: true, from: from, writes: true, read: v, written: f.Operand(n.regs, in.C)}, in, 1, v)
			}
			if v != b || in.Weak {
				a.addOutcome(t, n, edge{reads: true, from: from, read: v, failed: true}, in, 0, v)
			}
		default: // none is known, which is not the same as that there is none
			a.failed = true
		}
	}
}

// carry finds the outcome of an access of a cell of which the values decide nothing.
func (a *modular) carry(t *thread, n *node, in *ir.Instr) {
	a.addOutcome(t, n, edge{reads: in.Op != ir.OpStore, from: own{thread: -1}, writes: in.Op != ir.OpLoad, carried: true}, in, 0, 0)
}

// addOutcome adds an outcome of a node's operation, whose results are v and v2.
func (a *modular) addOutcome(t *thread, n *node, e edge, in *ir.Instr, v, v2 int64) {
	if a.work += 1 + len(n.regs)/32; a.work > maxModularWork || a.m.Halted() {
		a.failed = true
		return
	}
	if a.noteCourse(t, n, &e, in); a.failed {
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
	e.to, e.mark = a.runOn(t, n.pc+1, regs, a.latestAfter(t, n, &e))
	e.mark = e.mark || a.decides.forgets(t.unit.Func, n.pc, t.nodes[e.to].pc)
	n.edges = append(n.edges, e)
	if e.to != nowhere {
		a.arrive(t, n, &e, row)
	}
}

// number numbers a write of a thread and notes what may come before it.
func (a *modular) number(t *thread, n *node, v int64) {
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

// arrive notes what a thread that comes to e.to has done, and of how many writes to
// the node's cell it then knows.
func (a *modular) arrive(t *thread, n *node, e *edge, row int) {
	to := t.nodes[e.to]
	changed := to.wrote.Unite(n.wrote)
	if e.writes {
		changed = to.wrote.Insert(t.writes[cellValue{n.cell, e.written}]) || changed
	}
	saw := n.saw
	if e.reads && e.from.thread >= 0 && !slices.Contains(saw, e.from) {
		saw = append(saw[:len(saw):len(saw)], e.from)
	}
	if !to.entered {
		to.entered, to.saw, changed = true, slices.Clone(saw), true
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
	if seen := len(to.saw); seen > 0 {
		to.saw = slices.DeleteFunc(to.saw, func(w own) bool { return !slices.Contains(saw, w) })
		changed = changed || len(to.saw) < seen
	}
	to.stale = to.stale || changed
}

// remember returns what a thread knows at a node after so many writes to its cell.
func (a *modular) remember(n *node, row int) []known {
	past := make([]known, len(n.past), len(n.past)+1)
	copy(past, n.past)
	if row > 0 {
		i, ok := slices.BinarySearchFunc(past, n.cell, func(k known, cell int) int { return int(k.cell) - cell })
		if !ok {
			past = slices.Insert(past, i, known{cell: int32(n.cell)})
		}
		past[i].row = int32(row)
	}
	a.size += len(past)
	a.failed = a.failed || a.size > maxModularSize
	return past
}
