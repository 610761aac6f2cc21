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

// enough returns cells of the shared segment, by address, such that no write of any other cell need be promised; nil if
// it knows of none.
// docs/exploration.md, "Thread by thread".
func (h *hopper) enough(writes [][]bool) facts.Set {
	m := h.m
	a := m.analyse(writes)
	if a == nil {
		return nil
	}
	cut, any := make([]bool, len(h.cells)), false
	for key, c := range h.index {
		if i, ok := a.index[key]; ok && key.launch == 0 && h.leadsTo(c) && a.sure(i) {
			cut[c], any = true, true
		}
	}
	if !any || h.cyclic(cut) {
		return nil
	}
	for c := range cut {
		if cut[c] && h.closing < maxCloses { // else more are promised than need be
			cut[c] = false
			cut[c] = h.cyclic(cut)
		}
	}
	return h.addresses(cut)
}

// leadsTo reports whether some hop leads to a write of a cell that can be promised.
func (h *hopper) leadsTo(cell int) bool {
	return slices.ContainsFunc(h.hops, func(k hop) bool { return k.promisable && h.graph.spots[k.to].cell == cell })
}

// addresses returns the addresses of cells of the shared segment.
func (h *hopper) addresses(cells []bool) facts.Set {
	set := facts.Set{}
	for key, c := range h.index {
		if cells[c] {
			for len(set) <= key.addr>>6 {
				set = append(set, 0)
			}
			set.Add(key.addr)
		}
	}
	return set
}

// sure reports whether every work-item that may write a cell comes to the same writes of it, in one order, wherever it is and
// whatever it reads; so that it can keep a promise of one, alone, wherever it is put.
func (a *modular) sure(cell int) bool {
	var all []taking
	writers := 0
	for _, t := range a.threads {
		if t.unit.Place.Host || len(t.nodes) == 0 {
			continue // who promises nothing
		}
		l := &surely{modular: a, thread: t, cell: cell, done: make([]run, len(t.nodes)), come: make([]bool, len(t.nodes))}
		l.findAhead()
		if _, ok := l.writesFrom(0); !ok {
			return false
		}
		if all = append(all, l.writes...); len(l.writes) > 0 {
			writers++
		}
	}
	return writers < 2 || !takesAny(all)
}

// taking is a write, by what it takes: of a read-modify-write the message that it follows.
type taking struct {
	takes, takesOne bool  // it follows what it reads, and that must have one value
	wants, value    int64 // which, and what is written by all but such as take any
}

// takesAny reports whether one of these writes may have to follow another one directly. Then that would have to be promised before.
func takesAny(all []taking) bool {
	return slices.ContainsFunc(all, func(w taking) bool {
		return w.takes && slices.ContainsFunc(all, func(o taking) bool { return !w.takesOne || o.value == w.wants })
	})
}

// surely finds which writes of a cell a work-item comes to.
type surely struct {
	*modular
	thread *thread  // the work-item
	cell   int      // whose writes
	ahead  []bool   // by node: it may come to one from here on
	done   []run    // by node that has been visited: the writes that follow
	come   []bool   // by node: it has been visited
	writes []taking // that it has come to
}

// run is a sequence of writes of one cell.
type run struct {
	text  string // encodes them
	takes bool   // there is a read-modify-write
}

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
	if l.come[i] { // or is under way: where it goes round it comes to nothing, other than where it does not
		return l.done[i], true
	}
	l.come[i] = true
	n := l.thread.nodes[i]
	if !l.passes(n) {
		return run{}, false
	}
	for k := range n.edges {
		after, ok := l.writesFrom(n.edges[k].to)
		if !ok || k > 0 && after != writes {
			return run{}, false
		}
		writes = after
	}
	if in := l.code(n); n.cell == l.cell && in.Op != ir.OpLoad {
		takes := in.Op != ir.OpStore
		if writes.text != "" && (takes || writes.takes) { // what it is to follow might have to be promised, too, or be taken
			return run{}, false
		}
		writes = run{l.write(n, in) + writes.text, takes}
	}
	l.done[i] = writes
	return writes, true
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
	case n.cell == l.cell && in.Order != memmodel.Relaxed:
		return false
	}
	return in.Op == ir.OpStore || l.cells[n.cell].written
}

// write encodes a write of the cell, and notes what it takes.
func (l *surely) write(n *node, in *ir.Instr) string {
	f := l.m.Program.Funcs[l.thread.unit.Func]
	w := taking{takes: in.Op != ir.OpStore, value: f.Operand(n.regs, in.B)}
	b := binary.AppendVarint(nil, int64(in.Op))
	for _, v := range []int64{int64(in.Alu), int64(in.Type), int64(in.Order), int64(in.Scope), w.value} {
		b = binary.AppendVarint(b, v)
	}
	if in.Op == ir.OpCmpXchg {
		w.takesOne, w.wants, w.value = true, w.value, f.Operand(n.regs, in.C)
		b = binary.AppendVarint(b, w.value)
	}
	l.writes = append(l.writes, w)
	return string(b)
}
