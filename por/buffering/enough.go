package buffering

import (
	"encoding/binary"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Of each cycle one promised write is enough: what comes before it in the cycle can then be done in its
// order. It must be one that can be promised whenever that is wanted. Such are the writes of a cell to which all
// who write it come whatever they read, and with the same value.

// enough returns cells of the shared segment, by address, such that no write of any other cell need be promised, nil if
// it knows of none; and whether none of their writes needs the promise of another.
// docs/exploration.md, "Thread by thread".
func (h *hopper) enough(writes [][]bool) (cells facts.Set, unaided bool) {
	a := h.m.analyse(writes)
	if a == nil {
		return nil, false
	}
	cut, follows, any := make([]bool, len(h.cells)), make([]bool, len(h.cells)), false
	for key, c := range h.index {
		if i, ok := a.index[key]; ok && key.launch == 0 && h.leadsTo(c) && a.sure(i) {
			cut[c], follows[c], any = true, a.needsOther(i), true
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
			cells, unaided = extended(cells, key.addr), unaided && !follows[c]
		}
	}
	return cells, unaided
}

// extended returns a set with one more element, for which there need not be room yet.
func extended(set facts.Set, i int) facts.Set {
	for len(set) <= i>>6 {
		set = append(set, 0)
	}
	set.Add(i)
	return set
}

// leadsTo reports whether some hop leads to a write of a cell that can be promised before its read.
func (h *hopper) leadsTo(cell int) bool {
	return slices.ContainsFunc(h.hops, func(k hop) bool { return k.early() && h.graph.spots[k.to].cell == cell })
}

// sure reports whether every work-item that may write a cell comes to the same writes of it, in one order, wherever it is and
// whatever it reads, before anything that no promise of them may pass; so that it can keep a promise of one, alone, wherever it is put.
func (a *modular) sure(cell int) bool {
	_, _, ok := a.writesOf(cell)
	return ok
}

// needsOther reports whether a write of a cell that is sure may directly follow another one that can be promised, as a read-modify-write does.
func (a *modular) needsOther(cell int) bool {
	all, own, _ := a.writesOf(cell)
	return own || slices.ContainsFunc(all, func(w taking) bool {
		return w.takes && slices.ContainsFunc(all, func(o taking) bool { return o.thread != w.thread && (!w.takesOne || o.value == w.wants) })
	})
}

// writesOf returns the writes of a cell that work-items come to, whether one may follow another one of the same work-item, and whether each
// comes to the same ones, for sure.
func (a *modular) writesOf(cell int) (all []taking, own, ok bool) {
	for _, t := range a.threads {
		if t.unit.Place.Host || len(t.nodes) == 0 {
			continue // who promises nothing
		}
		l := &surely{modular: a, thread: t, cell: cell, done: make([]run, len(t.nodes)), state: make([]visit, len(t.nodes))}
		l.findAhead()
		for i := range t.nodes {
			if _, ok := l.writesFrom(int32(i)); !ok {
				return nil, false, false
			}
		}
		all, own = append(all, l.writes...), own || l.own
	}
	return all, own, true
}

// taking is a write, by what it takes: of a read-modify-write the message that it follows.
type taking struct {
	text            string // encodes it
	thread          int    // whose it is
	takes, takesOne bool   // it follows what it reads, and that must have one value
	wants, value    int64  // which, and what is written by all but such as take any
}

// surely finds which writes of a cell a work-item comes to.
type surely struct {
	*modular
	thread *thread  // the work-item
	cell   int      // whose writes
	ahead  []bool   // by node: it may come to one from here on
	done   []run    // by node that has been visited: the writes that follow
	state  []visit  // by node
	writes []taking // that it has come to
	own    bool     // one may follow another one
}

// run is a sequence of writes of one cell.
type run struct {
	text  string // encodes them
	takes bool   // there is a read-modify-write
	one   bool   // it is one compare-exchange
	wants int64  // that must read this
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
	l.ahead = make([]bool, len(l.thread.nodes))
	for changed := true; changed; {
		changed = false
		for i, n := range l.thread.nodes {
			if !l.ahead[i] && (n.cell == l.cell && l.code(n).Op != ir.OpLoad || slices.ContainsFunc(n.edges, func(e edge) bool { return e.to != nowhere && l.ahead[e.to] })) {
				l.ahead[i], changed = true, true
			}
		}
	}
}

// writesFrom returns the writes of the cell that the work-item comes to from a node; ok is false if these are not always the same,
// or if something may keep it from them when it runs alone.
func (l *surely) writesFrom(i int32) (writes run, ok bool) {
	if i == nowhere || !l.ahead[i] {
		return run{}, true
	}
	if l.state[i] != unseen {
		return l.done[i], l.state[i] == seen // else it goes round
	}
	l.state[i] = under
	n := l.thread.nodes[i]
	if !facts.Passable(l.code(n), l.m.Program.Objects[l.cells[l.cell].object].Region) { // what follows is promised behind it
		l.state[i] = seen
		return run{}, true
	}
	if !l.passes(n) {
		return run{}, false
	}
	if writes, ok = l.writesAfter(n); !ok {
		return run{}, false
	}
	if in := l.code(n); n.cell == l.cell && in.Op != ir.OpLoad {
		l.own = l.own || writes.takes
		w := l.write(n, in)
		writes = run{w.text + writes.text, w.takes || writes.takes, w.takesOne && writes.text == "", w.wants}
	}
	l.state[i], l.done[i] = seen, writes
	return writes, true
}

// writesAfter is writesFrom for what comes after a node's operation. If that loads the cell, the unit may not come to a write, unless it has read
// what it can read if it writes in the end: what was there when it began and nobody writes; or what one compare-exchange that comes is to read.
func (l *surely) writesAfter(n *node) (writes run, ok bool) {
	looks := n.cell == l.cell && l.code(n).Op == ir.OpLoad
	none, wanted, old := false, false, true
	for k := range n.edges {
		e := &n.edges[k]
		after, ok := l.writesFrom(e.to)
		switch {
		case !ok:
			return run{}, false
		case looks && after.text == "":
			none = true
		case writes.text != "" && after != writes, k > 0 && !looks && after != writes:
			return run{}, false
		default:
			writes = after
			wanted = wanted || after.one && after.wants == e.read
			old = old && l.old(e.read)
		}
	}
	return writes, !none || wanted || old
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

// write notes a write of the cell.
func (l *surely) write(n *node, in *ir.Instr) taking {
	f := l.m.Program.Funcs[l.thread.unit.Func]
	w := taking{thread: l.thread.number, takes: in.Op != ir.OpStore, value: f.Operand(n.regs, in.B)}
	b := binary.AppendVarint(nil, int64(in.Op))
	for _, v := range []int64{int64(in.Alu), int64(in.Type), int64(in.Order), int64(in.Scope), w.value} {
		b = binary.AppendVarint(b, v)
	}
	if in.Op == ir.OpCmpXchg {
		w.takesOne, w.wants, w.value = true, w.value, f.Operand(n.regs, in.C)
		b = binary.AppendVarint(b, w.value)
	}
	w.text = string(b)
	l.writes = append(l.writes, w)
	return w
}
