package buffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/state/ir/flow"
)

// Of each cycle one promised write is enough: what comes before it in the cycle can then be done in its
// order. It must be one that can be promised whenever that is wanted. Such are the writes of a cell to which all
// who write it come whatever they read, and with the same value.

// enough returns cells of the shared segment, by address, such that no write of any other cell need be promised, nil if
// it knows of none; and whether none of their writes needs the promise of another.
// docs/exploration/thread-modular.md, "Whose promises are enough".
func (h *hopper) enough(writes [][]bool) (cells facts.Set, unaided bool) {
	a := h.analyseAgain(writes)
	if a == nil {
		return nil, false
	}
	cut, follows, any := make([]bool, len(h.cells)), make([]bool, len(h.cells)), false
	early := h.early()
	for key, c := range h.index {
		if i, ok := a.index[key]; ok && key.launch == 0 && early[c] {
			follows[c], cut[c] = a.sure(i)
			any = any || cut[c]
		}
	}
	if !any || h.cyclic(cut) {
		return nil, false
	}
	for _, first := range []bool{true, false} { // those that need the promises of others are left out first
		for c := range cut {
			if cut[c] && follows[c] == first && h.closing < maxCloses { // else more are promised than need be
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

// early tells of cells whether some hop leads to a write of it that can be promised before its read.
func (h *hopper) early() []bool {
	early := make([]bool, len(h.cells))
	for _, k := range h.hops {
		if to := h.graph.spots[k.to].cell; to >= 0 && k.early() {
			early[to] = true
		}
	}
	return early
}

// sure reports whether every work-item that may write a cell comes to the same writes of it, in one order, wherever it is and
// whatever it reads, before anything that no promise of them may pass; so that it can keep a promise of one, alone, wherever it is put. And if so,
// whether one of them may directly follow another one that can be promised, as a read-modify-write does.
// docs/exploration/thread-modular.md, "Whose promises are enough".
func (a *modular) sure(cell int) (follows, ok bool) {
	var others []ir.Intent
	for _, t := range a.threads {
		if t.unit.Place.Host {
			continue // who promises nothing
		}
		l := &surely{modular: a, thread: t, cell: cell, done: make([][]ir.Intent, len(t.nodes)), state: make([]visit, len(t.nodes))}
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

// mayFollow reports whether a write of a cell may directly follow one of another unit.
func mayFollow(w, o ir.Intent) bool {
	value := o.B // or any, which of two that take any makes no difference
	if o.Op == ir.OpCmpXchg {
		value = o.C
	}
	return w.Takes() && (w.Op != ir.OpCmpXchg || wants(w, value))
}

// wants reports whether what a write directly follows must have the value v.
func wants(w ir.Intent, v int64) bool { return w.Op == ir.OpCmpXchg && w.B == v }

// surely finds which writes of a cell a work-item comes to.
type surely struct {
	*modular
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
	under        // it is below, or leads nowhere
	seen         // it is over
)

// code returns a node's operation.
func (l *surely) code(n *node) *ir.Instr { return &l.m.Program.Funcs[l.thread.unit.Func].Code[n.pc] }

// findAhead finds the nodes from which the work-item may come to a write of the cell.
func (l *surely) findAhead() {
	nodes := l.thread.nodes
	before, end := l.thread.flow().Reverse(len(nodes)), len(nodes)
	back := flow.Edges(func(i int, visit func(int)) {
		if i < end {
			before(i, visit)
			return
		}
		for k, n := range nodes { // from where all of them lead, to the writes
			if n.cell == l.cell && l.code(n).Op != ir.OpLoad {
				visit(k)
			}
		}
	})
	l.ahead = back.Reach(end+1, end, nil)
}

// writesFrom returns the writes of the cell that the work-item comes to from a node; ok is false if these are not always the same,
// or if something may keep it from them when it runs alone.
func (l *surely) writesFrom(i int32) (writes []ir.Intent, ok bool) {
	if i == nowhere || !l.ahead[i] {
		return nil, true
	}
	if l.state[i] != unseen {
		return l.done[i], l.state[i] == seen // else it goes round
	}
	l.state[i] = under
	n := l.thread.nodes[i]
	if in := l.code(n); facts.Passable(in, l.m.Program.Objects[l.cells[l.cell].object].Region) { // else what follows is promised behind it
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

// writesAfter is writesFrom for what comes after a node's operation. If that loads the cell, the unit may not come to a write, unless it has read
// what it can read if it writes in the end.
func (l *surely) writesAfter(n *node) (writes []ir.Intent, ok bool) {
	looks, none := n.cell == l.cell && l.code(n).Op == ir.OpLoad, false
	var leads []*edge // to the writes
	for k := range n.edges {
		e := &n.edges[k]
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

// canRead reports whether a unit that runs alone can read what leads it to writes, if it comes to them in the end: what one compare-exchange is to
// read; or what was there when it began and nobody writes.
func (l *surely) canRead(leads []*edge, writes []ir.Intent) bool {
	return len(writes) == 1 && slices.ContainsFunc(leads, func(e *edge) bool { return wants(writes[0], e.read) }) ||
		!slices.ContainsFunc(leads, func(e *edge) bool { return !l.old(e.read) })
}

// old reports whether a value of the cell, which somebody has read, was there when the work-items began.
func (l *surely) old(v int64) bool {
	written := false
	for _, t := range l.threads {
		l.eachAtomic(t, func(_ int, n *node, _ *ir.Instr) {
			written = written || n.cell == l.cell && slices.ContainsFunc(n.edges, func(e edge) bool { return e.writes && (e.carried || e.written == v) })
		})
	}
	return !written
}

// passes reports whether a work-item that owes writes of the cell, and runs alone, surely gets past a node's operation without
// learning what others know.
func (l *surely) passes(n *node) bool {
	in := l.code(n)
	switch {
	case in.Op == ir.OpChoose:
		return true
	case !in.Op.Access() || n.cell < 0 || in.Order.Acquires() || in.Op == ir.OpCmpXchg && in.FailOrder.Acquires():
		return false
	}
	return n.cell != l.cell || in.Order == memmodel.Relaxed
}
