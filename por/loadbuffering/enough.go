package loadbuffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/state/ir/flow"
)

// One promised write of each cycle suffices: the rest of the cycle can then be performed in its order. It must be
// a write that can be promised whenever that is wanted. Such are the writes of a cell that every unit that writes
// the cell performs whatever it reads, and with the same value.

// enough returns cells of the shared segment, by address, such that promises of their writes suffice, or nil if it
// knows none. It also reports whether none of these writes needs the promise of another.
// docs/exploration/thread-modular.md, "Whose promises are enough".
func (h *edgeBuilder) enough(writes [][]bool) (cells facts.Set, unaided bool) {
	a := h.analyseAgain(writes)
	if a == nil {
		return nil, false
	}
	cut, follows, any := make([]bool, len(h.cells)), make([]bool, len(h.cells)), false
	early := h.early()
	for key, c := range h.index {
		if i, ok := a.index[key]; ok && key.launch == 0 && early[c] {
			follows[c], cut[c] = a.mustWrite(i)
			any = any || cut[c]
		}
	}
	if !any || h.cyclic(cut) {
		return nil, false
	}
	for _, first := range []bool{true, false} { // first drop the cells that need promises of others
		for c := range cut {
			if cut[c] && follows[c] == first && h.closing < maxCloses { // beyond the bound more cells than necessary stay
				cut[c] = false
				cut[c] = h.cyclic(cut)
			}
		}
	}
	unaided = true
	for key, c := range h.index {
		if cut[c] {
			cells.Insert(key.addr)
			unaided = unaided && !follows[c]
		}
	}
	return cells, unaided
}

// early returns, by cell, whether some edge leads to a write of the cell that can be promised before the read
// whatever path is taken.
func (h *edgeBuilder) early() []bool {
	early := make([]bool, len(h.cells))
	for _, k := range h.edges {
		if to := h.graph.vertices[k.to].cell; to >= 0 && k.early() {
			early[to] = true
		}
	}
	return early
}

// mustWrite reports whether each work-item that may write a cell performs the same writes of it in one order,
// wherever it is and whatever it reads, before anything that stops a promise of them. Running alone it can then
// keep a promise of one wherever that is placed. follows reports whether one of these writes may directly follow
// another that can be promised, as a read-modify-write does.
// docs/exploration/thread-modular.md, "Whose promises are enough".
func (a *threadModular) mustWrite(cell int) (follows, ok bool) {
	var others []ir.Intent
	for _, t := range a.threads {
		if t.unit.Place.Host {
			continue // a host thread promises nothing
		}
		l := &mustAnalysis{threadModular: a, thread: t, cell: cell, done: make([][]ir.Intent, len(t.nodes)), state: make([]visit, len(t.nodes))}
		l.findAhead()
		var own []ir.Intent
		for i := range t.nodes {
			writes, ok := l.writesFrom(int32(i))
			if !ok {
				return false, false
			}
			if len(writes) > 0 && !slices.Contains(own, writes[0]) {
				own = append(own, writes[0])
			}
			follows = follows || len(writes) > 0 && slices.ContainsFunc(writes[1:], ir.Intent.Takes)
		}
		for _, w := range own {
			follows = follows || slices.ContainsFunc(others, func(o ir.Intent) bool { return mayFollow(w, o) || mayFollow(o, w) })
		}
		others = append(others, own...)
	}
	return follows, true
}

// mayFollow reports whether a write of a cell may directly follow a write of another unit.
func mayFollow(w, o ir.Intent) bool {
	value := o.B // another read-modify-write accepts any value
	if o.Op == ir.OpCmpXchg {
		value = o.C
	}
	return w.Takes() && (w.Op != ir.OpCmpXchg || wants(w, value))
}

// wants reports whether a write is a compare-exchange that expects the value v.
func wants(w ir.Intent, v int64) bool { return w.Op == ir.OpCmpXchg && w.B == v }

// mustAnalysis finds the writes of a cell that a work-item performs on every path.
type mustAnalysis struct {
	*threadModular
	thread *thread       // the work-item
	cell   int           // whose writes
	ahead  []bool        // by node: it may come to one from here on
	done   [][]ir.Intent // by node that has been visited: the writes that follow
	state  []visit       // by node
}

// visit says how far a search has come at a node.
type visit uint8

const (
	unseen visit = iota
	under        // on the stack, or without a result
	seen         // visited, with its result in done
)

// code returns a node's operation.
func (l *mustAnalysis) code(n *node) *ir.Instr {
	return &l.m.Program.Funcs[l.thread.unit.Func].Code[n.pc]
}

// findAhead finds the nodes from which the work-item can reach a write of the cell.
func (l *mustAnalysis) findAhead() {
	nodes := l.thread.nodes
	before, end := l.thread.flow().Reverse(len(nodes)), len(nodes)
	back := flow.Edges(func(i int, visit func(int)) {
		if i < end {
			before(i, visit)
			return
		}
		for k, n := range nodes { // the virtual end node precedes the writes
			if n.cell == l.cell && l.code(n).Op != ir.OpLoad {
				visit(k)
			}
		}
	})
	l.ahead = back.Reach(end+1, end, nil)
}

// writesFrom returns the writes of the cell that the work-item performs from a node on. ok is false if these are
// not always the same, or if something may keep the work-item from them when it runs alone.
func (l *mustAnalysis) writesFrom(i int32) (writes []ir.Intent, ok bool) {
	if i == nowhere || !l.ahead[i] {
		return nil, true
	}
	if l.state[i] != unseen {
		return l.done[i], l.state[i] == seen // otherwise there is a loop
	}
	l.state[i] = under
	n := l.thread.nodes[i]
	if in := l.code(n); facts.Passable(in, l.m.Program.Objects[l.cells[l.cell].object].Region) { // otherwise later writes are promised behind it
		if !l.passes(n) {
			return nil, false
		}
		if writes, ok = l.writesAfter(n); !ok {
			return nil, false
		}
		if n.cell == l.cell && in.Op != ir.OpLoad {
			writes = append([]ir.Intent{l.m.Program.Funcs[l.thread.unit.Func].Intent(in, n.regs)}, writes...)
		}
	}
	l.state[i], l.done[i] = seen, writes
	return writes, true
}

// writesAfter is writesFrom for what follows a node's operation. After a load of the cell a path without writes is
// allowed if the unit can read a value that leads it to the writes.
func (l *mustAnalysis) writesAfter(n *node) (writes []ir.Intent, ok bool) {
	looks, none := n.cell == l.cell && l.code(n).Op == ir.OpLoad, false
	var leads []*outcome // to the writes
	for k := range n.outcomes {
		e := &n.outcomes[k]
		after, ok := l.writesFrom(e.to)
		switch {
		case !ok:
			return nil, false
		case looks && len(after) == 0:
			none = true
		case leads != nil && !slices.Equal(after, writes):
			return nil, false
		default:
			writes, leads = after, append(leads, e)
		}
	}
	return writes, !none || l.canRead(leads, writes)
}

// canRead reports whether a unit that runs alone can read a value that leads it to writes, if it performs them in
// the end: the value that a single compare-exchange expects, or one that was there at the beginning and that
// nobody writes.
func (l *mustAnalysis) canRead(leads []*outcome, writes []ir.Intent) bool {
	return len(writes) == 1 && slices.ContainsFunc(leads, func(e *outcome) bool { return wants(writes[0], e.read) }) ||
		!slices.ContainsFunc(leads, func(e *outcome) bool { return !l.old(e.read) })
}

// old reports whether a value of the cell that somebody has read was there when the work-items began.
func (l *mustAnalysis) old(v int64) bool {
	written := false
	for _, t := range l.threads {
		l.eachAtomic(t, func(_ int, n *node, _ *ir.Instr) {
			written = written || n.cell == l.cell && slices.ContainsFunc(n.outcomes, func(e outcome) bool { return e.writes && (e.symbolic || e.written == v) })
		})
	}
	return !written
}

// passes reports whether a work-item that owes writes of the cell and runs alone surely passes a node's operation
// without acquiring anything.
func (l *mustAnalysis) passes(n *node) bool {
	in := l.code(n)
	switch {
	case in.Op == ir.OpChoose:
		return true
	case !in.Op.Access() || n.cell < 0 || in.Order.Acquires() || in.Op == ir.OpCmpXchg && in.FailOrder.Acquires():
		return false
	}
	return n.cell != l.cell || in.Order == memmodel.Relaxed
}
