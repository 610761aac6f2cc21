package loadbuffering

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/state/ir/flow"
)

// The analysis of each thread by itself tells which values it may read before it writes which. That gives edges
// between cells with values; the code alone gives edges between objects.
//
// Rounds of waiting have no edges. Such a round is a part of a thread's path that leads back to its beginning and
// on which the thread only reads race-free cells, or writes to them what it has read. An execution without the
// round allows all that follows it: whoever reads what the round wrote may as well read what the round read. So an
// edge needs a path without such a round.

// edgeBuilder finds the edges of program order of all threads.
type edgeBuilder struct {
	*threadModular
	graph               graph             // but for the edges
	edges               []poEdge          // once all threads have been walked
	closing             int               // work done to see whether edges close cycles
	onlyCommuting       []bool            // by cell
	raceFree            []bool            // by cell
	failReleasesNothing []bool            // by cell: it is a lock, and who tries to take it in vain releases nothing
	vertexOf            map[vertexKey]int // the vertices of cells with values
	meetings            map[meeting]int   // their vertices
	readers             []threadSet       // by vertex
	writers             []threadSet       // by vertex
	sources             []*source         // of all threads
	again               bool              // who writes a value once more is told from who writes it: see restores
	work                int               // done so far
}

const (
	maxEdges       = 1 << 18
	maxBuilderWork = 1 << 20
)

// vertexKey is a cell with a value.
type vertexKey struct {
	cell  int   // by number
	value int64 // that is in it
	again bool  // for who changes it, or may release: it was there, and somebody has written it once more, and released nothing
}

// meeting is one round of a barrier of a work-group. What one work-item has done before it precedes what another
// does after it, as if each wrote what all read.
type meeting struct {
	launch int            // of the work-items
	place  memmodel.Place // of their group
	site   int32          // of the barrier
	rounds string         // of the loops around it
}

// threadSet is a set of threads, as far as it matters: none, 1 + the number of the only one, or several.
type threadSet int

const several threadSet = -1

// and returns the set with one more thread.
func (w threadSet) and(u int) threadSet {
	if w == 0 || w == threadSet(u+1) {
		return threadSet(u + 1)
	}
	return several
}

// source is a read of a thread with the writes that may follow it.
type source struct {
	poEdge                   // without to
	summary   *threadSummary // whose read it is
	far, near facts.Set      // of the summary's writes: at all, and with nothing between that a promise may not pass
	// Of far, those with nothing between that acquires what is read, and with nothing between that releases them.
	unacquired, unreleased facts.Set
	behind                 facts.Set // of far, those with something between, on some way, that a promise may not pass, and the read-modify-write's own
	raw                    bool      // the read itself does not acquire, and something by may
	by                     acquirer  // see raw
}

// threadSummary is what a thread reads and writes.
type threadSummary struct {
	*thread
	code        *ir.Func              // what the thread executes
	alone       []bool                // by pc: nobody else acts there
	writes      []target              // what it may write, each once
	byWrite     map[writeKey]int      // numbers the writes
	bySource    map[sourceKey]*source // the reads
	mustAcquire map[*node]bool        // what is read there may order what comes after it, and must (memmodel.KeepSync)
	masks       masks                 // of the writes
	all         facts.Set             // the writes
	mayRelease  bool                  // by release fences or barriers in its code, what it writes may tell more than itself
	// By node: which writes may follow, as in source.
	far, near, behind, unreleased []facts.Set
	unacquired                    map[acquirer][]facts.Set // found when they are asked for
}

// target is a write of a thread.
type target struct {
	to     int             // vertex
	write  order           // how it releases, and what it writes
	region memmodel.Region // of memory, which decides what a promise may pass
	able   bool            // it can be promised
}

type writeKey struct {
	vertex int   // what is written
	pc     int32 // where
}

type sourceKey struct {
	vertex int   // what is read
	pc     int32 // where
	failed bool  // by a compare-exchange that fails
}

// buildEdges finds the edges of all threads. tooMany says that they are beyond the bounds. again tells a write of
// the value that is there from other writes of it.
func (a *threadModular) buildEdges(again bool) (h *edgeBuilder, tooMany bool) {
	h = &edgeBuilder{threadModular: a, again: again && !a.m.Traits.SeqCst, vertexOf: map[vertexKey]int{}, meetings: map[meeting]int{}, onlyCommuting: a.commutingOnly(), raceFree: a.raceFreeCells()}
	locks := a.locks(h.raceFree)
	h.failReleasesNothing = a.failReleasesNothing(locks)
	h.graph = graph{m: a.m, once: slices.Repeat([]bool{true}, len(a.threads)), guarded: a.guarded(locks), chained: a.chained(h.raceFree)}
	for _, t := range a.distinctThreads(h.raceFree) {
		h.walk(t)
	}
	if h.work > maxBuilderWork || a.m.Halted() {
		return h, true
	}
	known := map[poEdge]bool{} // of the summary
	unit := nowhere
	for _, s := range h.sources {
		if s.unit != unit {
			unit = s.unit
			clear(known)
		}
		if !h.other(h.writers[s.from], s.unit) {
			continue
		}
		for i, w := range s.summary.writes {
			if !s.far.Has(i) || !h.other(h.readers[w.to], s.unit) {
				continue
			}
			k := s.poEdge
			k.to, k.write, k.promisable, k.barred = w.to, w.write, w.able && s.near.Has(i), s.behind.Has(i)
			k.read.acquires = k.read.acquires || s.raw && !s.unacquired.Has(i)
			k.write.releases = k.write.releases || !s.unreleased.Has(i)
			if known[k] { // by other instructions
				continue
			}
			known[k] = true
			h.edges = append(h.edges, k)
			if len(h.edges) > maxEdges {
				return h, true
			}
		}
	}
	return h, false
}

// cyclic reports whether there may be a cycle that a promise makes possible. cut, which may be nil, gives cells
// whose promisable writes are left out: those of edges whose write can be promised before their read whatever path
// is taken.
func (h *edgeBuilder) cyclic(cut []bool) bool {
	g := h.graph
	defer func() { h.closing += g.work }()
	g.edges, g.ends = make([][]poEdge, len(g.vertices)), map[start][]end{}
	for _, k := range h.edges {
		if to := g.vertices[k.to].cell; cut == nil || to < 0 || !cut[to] || !k.early() {
			g.edges[k.from] = append(g.edges[k.from], k)
		}
	}
	edges := flow.Edges(func(i int, visit func(int)) {
		for k := range g.edges[i] {
			visit(g.edges[i][k].to)
		}
	})
	comp := edges.Components(len(g.vertices))
	loose := g.looseCells(comp)
	for _, hops := range g.edges {
		for _, k := range hops {
			if k.promisable && comp[k.from] == comp[k.to] && len(loose[comp[k.from]]) > 1 && g.closes(k) {
				return true
			}
		}
	}
	return false
}

// early reports whether the write of an edge can be promised before its read whatever path is taken.
func (k *poEdge) early() bool { return k.promisable && !k.barred }

// other reports whether a set has another thread than u. A thread that may exist several times has ended each time
// before it begins again.
func (h *edgeBuilder) other(w threadSet, u int) bool {
	return w == several || w != 0 && w != threadSet(u+1)
}

// vertex returns the number of the vertex of a cell with a value.
func (h *edgeBuilder) vertex(k vertexKey) int {
	i, ok := h.vertexOf[k]
	if !ok {
		i = len(h.graph.vertices)
		h.vertexOf[k] = i
		h.newVertex(vertex{h.cells[k.cell].object, k.cell})
	}
	return i
}

func (h *edgeBuilder) newVertex(s vertex) int {
	h.graph.vertices = append(h.graph.vertices, s)
	h.readers, h.writers = append(h.readers, 0), append(h.writers, 0)
	return len(h.graph.vertices) - 1
}

// meetingOf returns the meeting at a thread's node.
func meetingOf(t *thread, n *node, in *ir.Instr) meeting {
	k := meeting{launch: t.launch, place: t.unit.Place, site: in.Str}
	k.place.Sub = 0
	for _, r := range in.Counts() {
		k.rounds += fmt.Sprint(n.regs[r], " ")
	}
	return k
}

// meets returns the vertex of the barrier at a node.
func (h *edgeBuilder) meets(l *threadSummary, n *node, in *ir.Instr) int {
	k := meetingOf(l.thread, n, in)
	i, ok := h.meetings[k]
	if !ok {
		i = h.newVertex(vertex{-1, -2 - len(h.meetings)})
		h.meetings[k] = i
	}
	return i
}

// touches returns the vertices that an outcome of a node's operation reads and writes, or nowhere for what cannot
// be on a cycle.
func (h *edgeBuilder) touches(l *threadSummary, n *node, e *outcome) (read, write int) {
	read, write = nowhere, nowhere
	in := &l.code.Code[n.pc]
	switch {
	case in.Op == ir.OpBarrier:
		i := h.meets(l, n, in)
		return i, i
	case n.cell < 0 || in.Order == memmodel.NonAtomic || l.alone[n.pc]:
		return read, write
	}
	if e.reads && !h.onlyCommuting[n.cell] {
		read = h.vertex(vertexKey{cell: n.cell, value: e.read})
	}
	if e.writes {
		write = h.vertex(vertexKey{n.cell, e.written, h.again && l.restores(n, e)})
	}
	return read, write
}

// walk finds the sources of a thread.
func (h *edgeBuilder) walk(t *thread) {
	l := &threadSummary{
		thread: t, code: h.m.Program.Funcs[t.unit.Func], alone: h.m.alonePoints(t.unit.Func),
		byWrite: map[writeKey]int{}, bySource: map[sourceKey]*source{}, mustAcquire: map[*node]bool{},
	}
	l.mayRelease = slices.ContainsFunc(l.code.Code, func(in ir.Instr) bool { return handsOn(&in) })
	for i, n := range t.nodes {
		h.targets(l, n)
		if n.cell >= 0 && h.m.mustAcquireAt(t.unit.Func, int(n.pc)) && !h.untilTaken(l, int32(i)) {
			l.mustAcquire[n] = true
		}
	}
	h.closures(l)
	starts := make([]bool, len(t.nodes))
	if len(t.nodes) > 0 {
		starts[0] = true
	}
	for _, n := range t.nodes {
		for k := range n.outcomes {
			if e := &n.outcomes[k]; e.to != nowhere && !h.idle(l, n, e) {
				starts[e.to] = true
			}
		}
	}
	for i, s := range starts {
		if s && h.work <= maxBuilderWork && !h.m.Halted() {
			h.segment(l, int32(i))
		}
	}
}

// targets finds the writes of a node.
func (h *edgeBuilder) targets(l *threadSummary, n *node) {
	in := &l.code.Code[n.pc]
	for k := range n.outcomes {
		_, to := h.touches(l, n, &n.outcomes[k])
		if to == nowhere {
			continue
		}
		key := writeKey{to, n.pc}
		if _, ok := l.byWrite[key]; ok {
			continue
		}
		l.byWrite[key] = len(l.writes)
		h.writers[to] = h.writers[to].and(l.number)
		w := target{to: to, write: h.m.orderOf(in)}
		if n.cell >= 0 {
			w.region = h.m.Program.Objects[h.cells[n.cell].object].Region
			w.able = !l.unit.Place.Host && w.region != memmodel.Pipe && h.m.mayComeEarly(in)
		}
		l.writes = append(l.writes, w)
	}
}

// restores reports whether an outcome is a read-modify-write that writes the value it reads and releases nothing.
// docs/exploration/thread-modular.md, "Values that are written once more".
func (l *threadSummary) restores(n *node, e *outcome) bool {
	return e.writes && !e.changes() && !l.code.Code[n.pc].Order.Releases() && !l.mayRelease
}

// idle reports whether an outcome of a node's operation may belong to a round of waiting.
func (h *edgeBuilder) idle(l *threadSummary, n *node, e *outcome) bool {
	in := &l.code.Code[n.pc]
	switch {
	case e.observable:
		return false
	case in.Op.Access():
		return n.cell >= 0 && h.raceFree[n.cell] && !e.changes() && !l.mustAcquire[n] && !(e.writes && h.m.sync && h.m.mayReleaseAt(l.unit.Func, int(n.pc)))
	}
	return in.Op == ir.OpFence && !h.m.sync || in.Op == ir.OpChoose
}

// raceFreeCells returns, by cell, whether no access can race while several units act: all are atomic, with scopes
// that include each unit.
func (a *threadModular) raceFreeCells() []bool {
	calm := make([]bool, len(a.cells))
	for i := range calm {
		calm[i] = true
	}
	for _, t := range a.threads {
		alone := a.m.alonePoints(t.unit.Func)
		for _, n := range t.nodes {
			if n.cell < 0 || alone[n.pc] {
				continue
			}
			in := &a.m.Program.Funcs[t.unit.Func].Code[n.pc]
			calm[n.cell] = calm[n.cell] && in.Order != memmodel.NonAtomic && a.m.allInclusive(in.Scope, a.cells[n.cell].object)
		}
	}
	return calm
}

// closures finds the writes that may follow each node of a thread, under each condition that edges need.
func (h *edgeBuilder) closures(l *threadSummary) {
	l.masks, l.all = h.masks(l), make(facts.Set, (len(l.writes)+63)/64)
	for i := range l.writes {
		l.all.Add(i)
	}
	l.far = h.later(l, func(*node, *outcome) facts.Set { return nil })
	l.near = h.later(l, func(n *node, e *outcome) facts.Set { return l.masks.stopped(passing(&l.code.Code[n.pc])) })
	l.behind = h.laterBehind(l)
	l.unreleased = h.later(l, func(n *node, e *outcome) facts.Set { return h.released(l, n, e) })
	l.unacquired = map[acquirer][]facts.Set{}
}

// later returns, by node, the writes that may follow it: what its outcomes write, and what may follow where they
// lead, without those that they bar.
func (h *edgeBuilder) later(l *threadSummary, bars func(n *node, e *outcome) facts.Set) []facts.Set {
	return h.backward(l, func(set facts.Set, sets []facts.Set, n *node, e *outcome) (changed bool) {
		barred := bars(n, e)
		if w := l.write(h, n, e); w >= 0 && !set.Has(w) && (barred == nil || !barred.Has(w)) {
			set.Add(w)
			changed = true
		}
		return e.to != nowhere && set.UnionWithout(sets[e.to], barred) || changed
	})
}

// laterBehind returns, by node, the writes that may follow it behind an operation that stops a promise of them.
func (h *edgeBuilder) laterBehind(l *threadSummary) []facts.Set {
	return h.backward(l, func(set facts.Set, sets []facts.Set, n *node, e *outcome) (changed bool) {
		if e.to == nowhere {
			return false
		}
		changed = set.Union(sets[e.to])
		return set.UnionWithout(l.far[e.to], l.masks.stopped(^passing(&l.code.Code[n.pc]))) || changed
	})
}

// backward computes sets of writes, by node, as a least fixed point. step adds to the set of a node what one of
// its outcomes contributes, and reports whether that is new.
func (h *edgeBuilder) backward(l *threadSummary, step func(set facts.Set, sets []facts.Set, n *node, e *outcome) (changed bool)) []facts.Set {
	words := (len(l.writes) + 63) / 64
	sets, all := make([]facts.Set, len(l.nodes)), make(facts.Set, words*len(l.nodes))
	for i := range sets {
		sets[i] = all[i*words : (i+1)*words]
	}
	_, order := l.ordered()
	for changed := true; changed; {
		changed = false
		for _, i := range order {
			n := l.nodes[i]
			for k := range n.outcomes {
				h.work++
				changed = step(sets[i], sets, n, &n.outcomes[k]) || changed
			}
		}
	}
	return sets
}

// write returns the number of the write that an outcome performs, or -1.
func (l *threadSummary) write(h *edgeBuilder, n *node, e *outcome) int {
	_, to := h.touches(l, n, e)
	if to == nowhere {
		return -1
	}
	return l.byWrite[writeKey{to, n.pc}]
}

// segment finds the sources on the idle paths from a node.
func (h *edgeBuilder) segment(l *threadSummary, start int32) {
	d := h.idling(l).Dominators(int(start))
	above := map[int32]bool{} // the nodes on all idle paths to the present one
	for _, i := range d.Order {
		n := l.nodes[i]
		clear(above)
		d.Above(i, func(a int) { above[int32(a)] = true })
		for k := range n.outcomes {
			e := &n.outcomes[k]
			from, _ := h.touches(l, n, e)
			if from == nowhere {
				continue
			}
			h.addWrites(l, h.source(l, n, e, from), above, n, e)
			if h.again && e.reads && e.writes && !l.restores(n, e) {
				h.addWrites(l, h.source(l, n, e, h.vertex(vertexKey{n.cell, e.read, true})), above, n, e)
			}
		}
	}
}

// source returns the source of an outcome that reads a vertex.
func (h *edgeBuilder) source(l *threadSummary, n *node, e *outcome, from int) *source {
	k := sourceKey{from, n.pc, e.failed}
	s, ok := l.bySource[k]
	if ok {
		return s
	}
	in := &l.code.Code[n.pc]
	s = &source{poEdge: poEdge{unit: l.number, from: from}, summary: l}
	s.read = h.m.readOrder(in, e.failed)
	for _, set := range [...]*facts.Set{&s.far, &s.near, &s.behind, &s.unacquired, &s.unreleased} {
		*set = make(facts.Set, (len(l.writes)+63)/64)
	}
	if h.graph.vertices[from].object >= 0 { // and not a barrier
		s.by = acquirer{in.Scope, nowhere}
		if h.graph.chained[n.cell] {
			s.by.cell = n.cell
		}
		s.raw = !s.read.acquires && h.work < maxBuilderWork/2
	}
	h.readers[from] = h.readers[from].and(l.number)
	l.bySource[k] = s
	h.sources = append(h.sources, s)
	return s
}

// addWrites adds to a source the writes that may follow it. A path ends where it comes back to a node above: the
// round was in vain.
func (h *edgeBuilder) addWrites(l *threadSummary, s *source, above map[int32]bool, n *node, first *outcome) {
	type place struct {
		node   int32   // where the thread is
		passed passage // on the way there
	}
	seen := map[place]bool{}
	var take func(n *node, e *outcome, passed passage)
	take = func(n *node, e *outcome, passed passage) {
		h.work++
		idle := h.idle(l, n, e)
		if idle && e.to != nowhere && above[e.to] {
			return
		}
		passed.acquired = passed.acquired || s.raw && h.acquires(l, n, e, s.by)
		if w := l.write(h, n, e); w >= 0 {
			s.far.Add(w)
			s.add(passed, w)
		}
		h.pass(l, n, &passed)
		if e.to == nowhere {
			return
		}
		if !idle {
			s.far.Union(l.far[e.to])
			h.join(s, passed, e.to, h.released(l, n, e))
			return
		}
		if at := (place{e.to, passed}); !seen[at] {
			seen[at] = true
			next := l.nodes[e.to]
			for k := range next.outcomes {
				take(next, &next.outcomes[k], passed)
			}
		}
	}
	if first.to != nowhere {
		s.behind.Union(l.behind[first.to])
	}
	if w := l.write(h, n, first); w >= 0 { // of a read-modify-write: nobody promises it before what it reads is there
		s.behind.Add(w)
	}
	take(n, first, passage{regions: ^regionSet(0)})
}

// idling returns the edges between nodes that idle outcomes make.
func (h *edgeBuilder) idling(l *threadSummary) flow.Edges {
	return func(i int, visit func(int)) {
		n := l.nodes[i]
		for k := range n.outcomes {
			h.work++
			if e := &n.outcomes[k]; e.to != nowhere && h.idle(l, n, e) {
				visit(int(e.to))
			}
		}
	}
}
