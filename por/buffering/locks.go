package buffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Who reads what was written under a lock that he holds, too, reads what happened
// before. A cell m is a lock here if it is calm, nothing says that one access of it may
// not synchronise with another, and each write of it by a thread that is not alone
//
//   - acquires, reads m's first value, FREE, and writes another, where the thread surely
//     does not hold m, and then does; if it does not acquire, from the next fence on that does;
//   - or releases, writes FREE and does not read it, where the thread surely holds m, and
//     then does not; or does not release, where the thread has accessed nothing since a fence that
//     does;
//   - or reads another value than FREE and writes one: somebody has tried in vain.
//
// What all who access it access holding m is guarded. Then what is read of it across
// threads was written under an earlier hold, which happens before the present one: a taking
// follows a write of FREE in modification order without anything between (rule 7.7). Along that order, the next write of FREE
// after a taking is its own thread's release: a thread that writes it holds m, by a taking
// that is older than the write by coherence, and not older than the one before, whose own
// release came since. The next taking reads that release and acquires it. So all
// holds are in one order by happens-before, and since a read does not read what it happens
// before, it reads what happens before it. That is about executions alone, not about
// when what was done: it holds for what is promised, too.

// holding tells of a node of a thread in which ways it may hold a lock there.
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

// locks returns, by the cells that are locks, where which thread may hold them, by node.
func (a *modular) locks(calm []bool) map[int32][][]holding {
	locks := map[int32][][]holding{}
	if a.m.regions() {
		return locks // what is ordered in one region need not be in the other
	}
	for m := range a.cells {
		if !calm[m] || a.cells[m].carried || a.cells[m].blank {
			continue
		}
		if held, ok := a.lock(m); ok {
			locks[int32(m)] = held
		}
	}
	return locks
}

// guarded tells which cells some lock guards.
func (a *modular) guarded(locks map[int32][][]holding) []bool {
	guarded := make([]bool, len(a.cells))
	for _, held := range locks {
		for x, all := range a.under(held) {
			guarded[x] = guarded[x] || all
		}
	}
	return guarded
}

// lock reports whether a cell is a lock, and where which thread may hold it, by node.
func (a *modular) lock(m int) (held [][]holding, ok bool) {
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

// locking is the question whether a cell is a lock.
// docs/exploration/thread-modular.md, "Locks".
type locking struct {
	a     *modular       // what is known of the threads
	cell  int            // the one that is asked about
	free  int64          // its value when nobody holds it
	scope memmodel.Scope // of all writes
	known bool           // which scope that is
	taken bool           // by somebody
}

// holdings finds where a thread may hold the lock, unless it writes it as nobody does a lock.
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
		for k := range n.edges {
			e := &n.edges[k]
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

// write returns whether a thread holds the lock after it has written it, unless it does
// so as nobody does a lock. A host that is alone may only say again that it is free.
func (l *locking) write(in *ir.Instr, e *edge, before holding, alone bool) (after holding, ok bool) {
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

// under tells which cells are accessed only where a lock is surely held, or where the host
// is alone.
func (a *modular) under(held [][]holding) []bool {
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

// looseCells returns, by component of the spots, the cells (and meetings) of which what is
// read need not happen after its write. A cycle has two of them, or it is none (closes).
func (g *graph) looseCells(comp []int) map[int]map[int]bool {
	type end struct {
		spot  int   // a cell with its value, or a meeting
		order order // how it is written there
	}
	writes, reads := map[end]bool{}, map[int][]order{}
	for _, hops := range g.hops {
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
		c, cell := comp[w.spot], g.spots[w.spot].cell
		if slices.ContainsFunc(reads[w.spot], func(r order) bool { return g.loose(w.order, r, w.spot) }) {
			if loose[c] == nil {
				loose[c] = map[int]bool{}
			}
			loose[c][cell] = true
		}
	}
	return loose
}
