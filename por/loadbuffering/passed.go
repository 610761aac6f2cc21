package loadbuffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// A unit can synchronise by the read and the write of an edge themselves. It can also synchronise by what it
// performs between the two: a fence that acquires what was read or releases what will be written, or another
// operation on the same cell that does. If each write of a cell is a read-modify-write, later writes in its
// modification order belong to the release sequence of earlier ones (rule 5.4). So a unit that acquires the cell
// later acquires what it read before, and a unit that released it has released what it writes there after. On a
// cycle that has the same effect: whatever happens before the write that was read happens before the unit's next
// write there (closes).

// acquirer is what can acquire a value that has been read, other than the read itself.
type acquirer struct {
	scope memmodel.Scope // that both need
	cell  int            // an operation on this one acquires it, too, or nowhere
}

// passage is what a thread has passed since a read, as long as all of it may belong to a round of waiting.
type passage struct {
	regions  regionSet // of memory that a promise may be written to past all of it
	released scopeSet  // of the release fences passed
	acquired bool      // what was read
}

// scopeSet is a set of scopes.
type scopeSet uint8

// masks are sets of a thread's writes.
type masks struct {
	regions [memmodel.Pipe + 1]facts.Set // by region; nil if none
	scopes  map[memmodel.Scope]facts.Set // of cells, by scope
	cells   map[acquirer]facts.Set       // of chained cells, by scope
	stops   map[regionSet]facts.Set      // to other regions than those, as far as asked for
}

// masks returns the sets of a thread's writes.
func (h *edgeBuilder) masks(l *threadSummary) masks {
	m := masks{scopes: map[memmodel.Scope]facts.Set{}, cells: map[acquirer]facts.Set{}, stops: map[regionSet]facts.Set{}}
	with := func(s facts.Set, i int) facts.Set {
		if s == nil {
			s = make(facts.Set, (len(l.writes)+63)/64)
		}
		s.Add(i)
		return s
	}
	for i, w := range l.writes {
		m.regions[w.region] = with(m.regions[w.region], i)
		to := h.graph.vertices[w.to]
		if to.object < 0 { // a barrier, which no fence releases
			continue
		}
		m.scopes[w.write.scope] = with(m.scopes[w.write.scope], i)
		if h.graph.chained[to.cell] {
			k := acquirer{w.write.scope, to.cell}
			m.cells[k] = with(m.cells[k], i)
		}
	}
	return m
}

// stopped returns the writes to regions outside a set, or nil if there are none.
func (m *masks) stopped(but regionSet) facts.Set {
	s, ok := m.stops[but]
	if !ok {
		for r, set := range m.regions {
			if set != nil && !but.has(memmodel.Region(r)) {
				s.Unite(set)
			}
		}
		m.stops[but] = s
	}
	return s
}

// released returns the writes that an outcome of a node's operation releases if they follow it, or nil if there
// are none.
// docs/exploration/thread-modular.md, "What is passed on the way".
func (h *edgeBuilder) released(l *threadSummary, n *node, e *outcome) facts.Set {
	in := &l.code.Code[n.pc]
	switch {
	case !in.Order.Releases():
		return nil
	case in.Op.Access() && e.writes && n.cell >= 0 && h.graph.chained[n.cell] && !l.alone[n.pc]:
		return l.masks.cells[acquirer{in.Scope, n.cell}]
	case h.fences(in.Op, in.Flags):
		return l.masks.scopes[in.Scope]
	}
	return nil
}

// acquires reports whether an outcome of a node's operation acquires a value that was read before.
func (h *edgeBuilder) acquires(l *threadSummary, n *node, e *outcome, by acquirer) bool {
	in := &l.code.Code[n.pc]
	switch {
	case in.Scope != by.scope:
		return false
	case in.Op.Access():
		return n.cell >= 0 && n.cell == by.cell && e.reads && !l.alone[n.pc] && h.m.readOrder(in, e.failed).acquires
	}
	return in.Order.Acquires() && h.fences(in.Op, in.Flags)
}

// chained returns, by cell, whether each concurrent write is a read-modify-write.
func (a *threadModular) chained(calm []bool) []bool {
	chained := slices.Clone(calm)
	for _, t := range a.threads {
		alone := a.m.alonePoints(t.unit.Func)
		for _, n := range t.nodes {
			for k := range n.outcomes {
				if e := &n.outcomes[k]; e.writes && !e.reads && !alone[n.pc] {
					chained[n.cell] = false
				}
			}
		}
	}
	return chained
}

// unacquired returns, by node, the writes that may follow it without an operation between that acquires the value
// that was read.
// docs/exploration/thread-modular.md, "What is passed on the way".
func (h *edgeBuilder) unacquired(l *threadSummary, by acquirer) []facts.Set {
	sets, ok := l.unacquired[by]
	if !ok {
		sets = h.later(l, func(n *node, e *outcome) facts.Set {
			if h.acquires(l, n, e, by) {
				return l.all
			}
			return nil
		})
		l.unacquired[by] = sets
	}
	return sets
}

// readOrder returns the order of an operation's read; failed says that it is a compare-exchange that fails.
func (m *program) readOrder(in *ir.Instr, failed bool) order {
	if failed {
		return order{acquires: in.FailOrder.Acquires(), releases: in.FailOrder.Releases(), scope: in.Scope}
	}
	return m.orderOf(in)
}

// fences reports whether an operation is a fence of all regions with atomic objects.
func (h *edgeBuilder) fences(op ir.Op, flags memmodel.Flags) bool {
	return op == ir.OpFence && h.m.ordersAtomics(flags)
}

// pass records what a node's operation stops.
func (h *edgeBuilder) pass(l *threadSummary, n *node, passed *passage) {
	in := &l.code.Code[n.pc]
	passed.regions &= passing(in)
	if in.Order.Releases() && h.fences(in.Op, in.Flags) {
		passed.released |= 1 << in.Scope
	}
}

// add adds write w of its thread to a source, behind what has been passed.
func (s *source) add(passed passage, w int) {
	t := &s.summary.writes[w]
	if passed.regions.has(t.region) {
		s.near.Add(w)
	}
	if !passed.acquired {
		s.unacquired.Add(w)
	}
	if passed.released&(1<<t.write.scope) == 0 || s.summary.masks.scopes[t.write.scope] == nil || !s.summary.masks.scopes[t.write.scope].Has(w) {
		s.unreleased.Add(w)
	}
}

// join adds to a source the writes that may follow at a node, behind what has been passed, without those that the
// last outcome released.
func (h *edgeBuilder) join(s *source, passed passage, to int32, released facts.Set) {
	l := s.summary
	s.near.UnionWithout(l.near[to], l.masks.stopped(passed.regions))
	if s.raw && !passed.acquired {
		s.unacquired.Union(h.unacquired(l, s.by)[to])
	}
	but := slices.Clone(released)
	for scope, set := range l.masks.scopes {
		if passed.released&(1<<scope) != 0 {
			but.Unite(set)
		}
	}
	s.unreleased.UnionWithout(l.unreleased[to], but)
}
