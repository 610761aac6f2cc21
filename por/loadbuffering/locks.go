package loadbuffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// A unit that reads, holding a lock, what was written under the same lock reads what happened before. A cell m is
// a lock here if it is race-free, if nothing suggests that one access of it may not synchronise with another, and
// if each write of it by a thread that is not alone
//
//   - acquires, reads m's first value, FREE, and writes another one, where the thread surely
//     does not hold m. From then on it does; if the write does not acquire, from the next fence on
//     that does;
//   - or releases, writes FREE and does not read it, where the thread surely holds m. From then on it
//     does not. In place of releasing the thread may have accessed nothing since a fence that releases;
//   - or reads another value than FREE and writes one: a try in vain.
//
// A cell is guarded if each access to it holds m. Then what a thread reads of it from another was written under an
// earlier hold, which happens before the present one. Proof: a taking follows a write of FREE in modification
// order without anything between (rule 7.7). The next write of FREE after a taking, in that order, is its own
// thread's release: a thread that writes FREE holds m by a taking that is older than the write, by coherence, and
// not older than the taking before it, whose own release came since. The next taking reads that release and
// acquires it. So happens-before orders all holds, and a read does not read what it happens before. The argument
// is about executions alone and not about when an operation is performed, so it holds for promised writes, too.

// holding is the set of ways in which a thread may hold a lock at a node.
type holding uint8

const (
	without holding = 1 << iota
	taken           // but has not acquired it
	with
	leaving // with, and has released all that it has accessed
)

// held reports whether a lock is surely held.
func (h holding) held() bool { return h != 0 && h&^(with|leaving) == 0 }

// past returns how a lock is held when ways to hold it have become others.
func (h holding) past(from, to holding) holding {
	if h&from != 0 {
		h = h&^from | to
	}
	return h
}

// locks returns the cells that are locks, each with the ways in which each thread may hold it, by node.
func (a *threadModular) locks(calm []bool) map[int32][][]holding {
	locks := map[int32][][]holding{}
	if a.m.regions() {
		return locks // what is ordered in one region need not be in the other
	}
	for m := range a.cells {
		if !calm[m] || a.cells[m].symbolic || a.cells[m].uninitialised {
			continue
		}
		if held, ok := a.lock(m); ok {
			locks[int32(m)] = held
		}
	}
	return locks
}

// guarded returns, by cell, whether some lock guards it.
func (a *threadModular) guarded(locks map[int32][][]holding) []bool {
	guarded := make([]bool, len(a.cells))
	for _, held := range locks {
		for x, all := range a.under(held) {
			guarded[x] = guarded[x] || all
		}
	}
	return guarded
}

// lock reports whether a cell is a lock, and in which ways each thread may hold it, by node.
func (a *threadModular) lock(m int) (held [][]holding, ok bool) {
	l := &locking{a: a, cell: m, free: a.cells[m].list[0]}
	for _, t := range a.threads {
		h, ok := l.holdings(t)
		if !ok {
			return nil, false
		}
		held = append(held, h)
	}
	return held, l.taken
}

// locking is the check whether a cell is a lock.
// docs/exploration/thread-modular.md, "Locks".
type locking struct {
	a     *threadModular // what is known of the threads
	cell  int            // the one that is asked about
	free  int64          // its value when nobody holds it
	scope memmodel.Scope // of all writes
	known bool           // which scope that is
	taken bool           // by somebody
}

// holdings returns, by node, the ways in which a thread may hold the lock. ok is false if the thread writes the
// cell in a way that no lock is written.
func (l *locking) holdings(t *thread) (held []holding, ok bool) {
	held = make([]holding, len(t.nodes))
	if len(t.nodes) == 0 {
		return held, true
	}
	alone, code := l.a.m.alonePoints(t.unit.Func), l.a.m.Program.Funcs[t.unit.Func].Code
	held[0] = without
	for todo := []int32{0}; len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := t.nodes[i]
		for k := range n.outcomes {
			e := &n.outcomes[k]
			in, after := &code[n.pc], held[i]
			switch {
			case n.cell == l.cell && e.writes:
				if after, ok = l.write(in, e, held[i], alone[n.pc]); !ok {
					return nil, false
				}
			case n.cell >= 0:
				after = after.past(leaving, with)
			case in.Op == ir.OpFence && l.known && in.Scope == l.scope && l.a.m.ordersAtomics(in.Flags):
				if in.Order.Acquires() {
					after = after.past(taken, with)
				}
				if in.Order.Releases() {
					after = after.past(with, leaving)
				}
			}
			if e.to != nowhere && after&^held[e.to] != 0 {
				held[e.to] |= after
				todo = append(todo, e.to)
			}
		}
	}
	return held, true
}

// write returns the ways in which a thread may hold the lock after it has written it. ok is false if no lock is
// written in that way. A host thread that is alone may only write that the lock is free.
func (l *locking) write(in *ir.Instr, e *outcome, before holding, alone bool) (after holding, ok bool) {
	if alone {
		return without, e.written == l.free && before == without
	}
	if l.known && in.Scope != l.scope {
		return 0, false
	}
	l.scope, l.known = in.Scope, true
	switch {
	case e.written != l.free && e.reads && e.read == l.free:
		l.taken = true
		if in.Order.Acquires() {
			return with, before == without
		}
		return taken, before == without
	case e.written == l.free && !(e.reads && e.read == l.free):
		return without, before.held() && in.Order.Releases() || before == leaving
	}
	return before, e.written != l.free && e.reads
}

// under returns, by cell, whether each access holds the lock or is the host's while it is alone.
func (a *threadModular) under(held [][]holding) []bool {
	all := make([]bool, len(a.cells))
	for i := range all {
		all[i] = true
	}
	for i, t := range a.threads {
		alone := a.m.alonePoints(t.unit.Func)
		for k, n := range t.nodes {
			if n.cell >= 0 && !alone[n.pc] && !held[i][k].held() {
				all[n.cell] = false
			}
		}
	}
	return all
}

// looseCells returns, by component of the vertices, the cells and barriers through which there is a loose edge. A
// component with fewer than two of them has no cycle (closes).
func (g *graph) looseCells(comp []int) map[int]map[int]bool {
	type end struct {
		vertex int   // a cell with its value, or a barrier
		order  order // how it is written there
	}
	writes, reads := map[end]bool{}, map[int][]order{}
	for _, hops := range g.edges {
		for _, k := range hops {
			if comp[k.from] != comp[k.to] {
				continue
			}
			writes[end{k.to, k.write}] = true
			if !slices.Contains(reads[k.from], k.read) {
				reads[k.from] = append(reads[k.from], k.read)
			}
		}
	}
	loose := map[int]map[int]bool{}
	for w := range writes {
		c, cell := comp[w.vertex], g.vertices[w.vertex].cell
		if slices.ContainsFunc(reads[w.vertex], func(r order) bool { return g.loose(w.order, r, w.vertex) }) {
			if loose[c] == nil {
				loose[c] = map[int]bool{}
			}
			loose[c][cell] = true
		}
	}
	return loose
}
