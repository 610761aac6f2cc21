package buffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// What a hop synchronises with by its own read or write is one thing. Another is what its
// unit passes on the way from the read to the write: a fence that acquires what has
// been read, or releases what is going to be written, and another operation on the same
// cell that does. If all that write a cell read it in the same step, whatever comes later in its
// modification order belongs to the release sequence of what came before (rule 5.4); so
// who acquires it later acquires what he has read before, and who has released it has
// released what he writes to it after. On a cycle that is as good: what is to happen before the
// unit's next write there is what happened before the write that it has read (closes).

// acquirer is what acquires something that has been read, beside its read.
type acquirer struct {
	scope memmodel.Scope // that both need
	cell  int            // an operation on this one acquires it, too, or nowhere
}

// passage is what has been passed on the way from a read, as long as nothing has been done
// but what may belong to a round of waiting.
type passage struct {
	regions  regionSet // of memory that a promise may be written to past all of it
	released scopeSet  // of the release fences passed
	acquired bool      // what was read
}

// scopeSet is a set of scopes.
type scopeSet uint8

// masks are sets of a lane's writes.
type masks struct {
	regions [memmodel.Pipe + 1]facts.Set // by region; nil if none
	scopes  map[memmodel.Scope]facts.Set // of cells, by scope
	cells   map[acquirer]facts.Set       // of chained cells, by scope
	stops   map[regionSet]facts.Set      // to other regions than those, as far as asked for
}

// masks returns the sets of a lane's writes.
func (h *hopper) masks(l *lane) masks {
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
		to := h.graph.spots[w.to]
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

// stopped returns the writes to other regions than some, or nil if there are none.
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

// released returns the writes that an outcome of a node's operation releases if they
// follow, or nil if there are none.
// docs/exploration/thread-modular.md, "What is passed on the way".
func (h *hopper) released(l *lane, n *node, e *edge) facts.Set {
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

// acquires reports whether an outcome of a node's operation acquires what has been read.
func (h *hopper) acquires(l *lane, n *node, e *edge, by acquirer) bool {
	in := &l.code.Code[n.pc]
	switch {
	case in.Scope != by.scope:
		return false
	case in.Op.Access():
		return n.cell >= 0 && n.cell == by.cell && e.reads && !l.alone[n.pc] && h.m.readOrder(in, e.failed).acquires
	}
	return in.Order.Acquires() && h.fences(in.Op, in.Flags)
}

// chained tells which cells all that write them read in the same step, while several units act.
func (a *modular) chained(calm []bool) []bool {
	chained := slices.Clone(calm)
	for _, t := range a.threads {
		alone := a.m.alonePoints(t.unit.Func)
		for _, n := range t.nodes {
			for k := range n.edges {
				if e := &n.edges[k]; e.writes && !e.reads && !alone[n.pc] {
					chained[n.cell] = false
				}
			}
		}
	}
	return chained
}

// unacquired returns, by node, which writes may follow without what acquires something that has been read.
// docs/exploration/thread-modular.md, "What is passed on the way".
func (h *hopper) unacquired(l *lane, by acquirer) []facts.Set {
	sets, ok := l.unacquired[by]
	if !ok {
		sets = h.later(l, func(n *node, e *edge) facts.Set {
			if h.acquires(l, n, e, by) {
				return l.all
			}
			return nil
		})
		l.unacquired[by] = sets
	}
	return sets
}

// readOrder returns the order of an operation's read, or of that of a compare-exchange that fails.
func (m *program) readOrder(in *ir.Instr, failed bool) order {
	if failed {
		return order{acquires: in.FailOrder.Acquires(), releases: in.FailOrder.Releases(), scope: in.Scope}
	}
	return m.orderOf(in)
}

// fences reports whether an operation is a fence of all memory with atomic objects.
func (h *hopper) fences(op ir.Op, flags memmodel.Flags) bool {
	return op == ir.OpFence && h.m.ordersAtomics(flags)
}

// pass notes what a node's operation keeps from passing.
func (h *hopper) pass(l *lane, n *node, passed *passage) {
	in := &l.code.Code[n.pc]
	passed.regions &= passing(in)
	if in.Order.Releases() && h.fences(in.Op, in.Flags) {
		passed.released |= 1 << in.Scope
	}
}

// add adds write w of its lane to a source, past what has been passed.
func (s *source) add(passed passage, w int) {
	t := &s.lane.writes[w]
	if passed.regions.has(t.region) {
		s.near.Add(w)
	}
	if !passed.acquired {
		s.unacquired.Add(w)
	}
	if passed.released&(1<<t.write.scope) == 0 || s.lane.masks.scopes[t.write.scope] == nil || !s.lane.masks.scopes[t.write.scope].Has(w) {
		s.unreleased.Add(w)
	}
}

// join adds to a source what may follow at a node of its lane, past what has been passed and
// but what the last outcome released.
func (h *hopper) join(s *source, passed passage, to int32, released facts.Set) {
	l := s.lane
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
