package buffering

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/state/ir/flow"
)

// What each thread does by itself (see modular) tells which values it may read before
// it writes which: hops between cells with values, where the code alone tells of hops
// between objects.
//
// Rounds of waiting make no hops: a part of a thread's path that leads back to where it
// began, and on which the thread has but read cells that nobody can race for, or
// written there what it has read. An execution without the round allows all that
// follows it: who reads what the round wrote may as well read what the round read. So
// a hop needs a path on which nothing is done in vain.

// hopper finds the hops of threads.
type hopper struct {
	*modular
	graph    graph           // but for the hops
	hops     []hop           // once all threads have been walked
	closing  int             // work done to see whether hops close cycles
	blind    []bool          // by cell
	calm     []bool          // by cell
	dumb     []bool          // by cell: it is a lock, and who tries to take it in vain releases nothing
	ids      map[spotKey]int // the spots of cells with values
	meetings map[meeting]int // their spots
	readers  []who           // by spot
	writers  []who           // by spot
	sources  []*source       // of all threads
	again    bool            // who writes a value once more is told from who writes it: see restores
	work     int             // done so far
}

const (
	maxHops       = 1 << 18
	maxHopperWork = 1 << 20
)

// spotKey is a cell with a value.
type spotKey struct {
	cell  int   // by number
	value int64 // that is in it
	again bool  // for who changes it, or may release: it was there, and somebody has written it once more, and released nothing
}

// meeting is a barrier that the work-items of a group meet at. What one has done before
// comes before what another does after, though nothing is written: as if each wrote what
// all read.
type meeting struct {
	launch int            // of the work-items
	place  memmodel.Place // of their group
	site   int32          // of the barrier
	rounds string         // of the loops around it
}

// who are the threads of a kind: none, 1 + the only one, or several.
type who int

const several who = -1

// and returns them with another one.
func (w who) and(u int) who {
	if w == 0 || w == who(u+1) {
		return who(u + 1)
	}
	return several
}

// source is a read of a thread, and what it may write after it.
type source struct {
	hop                 // without to
	lane      *lane     // whose read it is
	far, near facts.Set // of the lane's writes: at all, and with nothing between that a promise may not pass
	// Of far, those with nothing between that acquires what is read, and with nothing between that releases them.
	unacquired, unreleased facts.Set
	behind                 facts.Set // of far, those with something between, on some way, that a promise may not pass, and the read-modify-write's own
	raw                    bool      // the read itself does not acquire, and something by may
	by                     acquirer  // see raw
}

// lane is a thread, as what it reads and writes.
type lane struct {
	*thread
	code     *ir.Func              // what the thread executes
	alone    []bool                // by pc: nobody else acts there
	writes   []target              // what it may write, each once
	byWrite  map[writeKey]int      // numbers the writes
	bySource map[sourceKey]*source // the reads
	learns   map[*node]bool        // what is read there may order what comes after it, and must (memmodel.KeepSync)
	masks    masks                 // of the writes
	all      facts.Set             // the writes
	tells    bool                  // by release fences or barriers in its code, what it writes may tell more than itself
	// By node: which writes may follow, as in source.
	far, near, behind, unreleased []facts.Set
	unacquired                    map[acquirer][]facts.Set // found when they are asked for
}

// target is a write of a thread.
type target struct {
	to     int             // spot
	write  order           // how it releases, and what it writes
	region memmodel.Region // of memory, which decides what a promise may pass
	able   bool            // it can be promised
}

type writeKey struct {
	spot int   // what is written
	pc   int32 // where
}

type sourceKey struct {
	spot   int   // what is read
	pc     int32 // where
	failed bool  // by a compare-exchange that fails
}

// findHops finds the hops of all threads; tooMany if there is too much to follow.
func (a *modular) findHops(again bool) (h *hopper, tooMany bool) {
	h = &hopper{modular: a, again: again && !a.m.Traits.SeqCst, ids: map[spotKey]int{}, meetings: map[meeting]int{}, blind: a.blind(), calm: a.calm()}
	locks := a.locks(h.calm)
	h.dumb = a.dumb(locks)
	h.graph = graph{m: a.m, once: slices.Repeat([]bool{true}, len(a.threads)), guarded: a.guarded(locks), chained: a.chained(h.calm)}
	for _, t := range a.representatives(h.calm) {
		h.walk(t)
	}
	if h.work > maxHopperWork || a.m.Halted() {
		return h, true
	}
	known := map[hop]bool{} // of the lane
	unit := nowhere
	for _, s := range h.sources {
		if s.unit != unit {
			unit = s.unit
			clear(known)
		}
		if !h.other(h.writers[s.from], s.unit) {
			continue
		}
		for i, w := range s.lane.writes {
			if !s.far.Has(i) || !h.other(h.readers[w.to], s.unit) {
				continue
			}
			k := s.hop
			k.to, k.write, k.promisable, k.barred = w.to, w.write, w.able && s.near.Has(i), s.behind.Has(i)
			k.read.acquires = k.read.acquires || s.raw && !s.unacquired.Has(i)
			k.write.releases = k.write.releases || !s.unreleased.Has(i)
			if known[k] { // by other instructions
				continue
			}
			known[k] = true
			h.hops = append(h.hops, k)
			if len(h.hops) > maxHops {
				return h, true
			}
		}
	}
	return h, false
}

// cyclic reports whether there may be a cycle of hops that promises make possible, and none of which leads to a write of one
// of these cells, nil: of none, that can be promised before its read whatever way is taken.
func (h *hopper) cyclic(cut []bool) bool {
	g := h.graph
	defer func() { h.closing += g.work }()
	g.hops, g.ends = make([][]hop, len(g.spots)), map[start][]end{}
	for _, k := range h.hops {
		if to := g.spots[k.to].cell; cut == nil || to < 0 || !cut[to] || !k.early() {
			g.hops[k.from] = append(g.hops[k.from], k)
		}
	}
	edges := flow.Edges(func(i int, visit func(int)) {
		for k := range g.hops[i] {
			visit(g.hops[i][k].to)
		}
	})
	comp := edges.Components(len(g.spots))
	loose := g.looseCells(comp)
	for _, hops := range g.hops {
		for _, k := range hops {
			if k.promisable && comp[k.from] == comp[k.to] && len(loose[comp[k.from]]) > 1 && g.closes(k) {
				return true
			}
		}
	}
	return false
}

// early reports whether the write of a hop can be promised before its read whatever way is taken.
func (k *hop) early() bool { return k.promisable && !k.barred }

// other reports whether there is another thread than u among some. One that comes several
// times has ended each time before it begins again.
func (h *hopper) other(w who, u int) bool { return w == several || w != 0 && w != who(u+1) }

// spot returns the number of a cell with a value.
func (h *hopper) spot(k spotKey) int {
	i, ok := h.ids[k]
	if !ok {
		i = len(h.graph.spots)
		h.ids[k] = i
		h.newSpot(spot{h.cells[k.cell].object, k.cell})
	}
	return i
}

func (h *hopper) newSpot(s spot) int {
	h.graph.spots = append(h.graph.spots, s)
	h.readers, h.writers = append(h.readers, 0), append(h.writers, 0)
	return len(h.graph.spots) - 1
}

// meetingOf returns the meeting at a node of a thread.
func meetingOf(t *thread, n *node, in *ir.Instr) meeting {
	k := meeting{launch: t.launch, place: t.unit.Place, site: in.Str}
	k.place.Sub = 0
	for _, r := range in.Counts() {
		k.rounds += fmt.Sprint(n.regs[r], " ")
	}
	return k
}

// meets returns the spot of the barrier of a node.
func (h *hopper) meets(l *lane, n *node, in *ir.Instr) int {
	k := meetingOf(l.thread, n, in)
	i, ok := h.meetings[k]
	if !ok {
		i = h.newSpot(spot{-1, -2 - len(h.meetings)})
		h.meetings[k] = i
	}
	return i
}

// touches returns the spots that an outcome of a node's operation reads and writes, as
// far as that can be on a cycle, or nowhere.
func (h *hopper) touches(l *lane, n *node, e *edge) (read, write int) {
	read, write = nowhere, nowhere
	in := &l.code.Code[n.pc]
	switch {
	case in.Op == ir.OpBarrier:
		i := h.meets(l, n, in)
		return i, i
	case n.cell < 0 || in.Order == memmodel.NonAtomic || l.alone[n.pc]:
		return read, write
	}
	if e.reads && !h.blind[n.cell] {
		read = h.spot(spotKey{cell: n.cell, value: e.read})
	}
	if e.writes {
		write = h.spot(spotKey{n.cell, e.written, h.again && l.restores(n, e)})
	}
	return read, write
}

// walk finds the sources of a thread.
func (h *hopper) walk(t *thread) {
	l := &lane{
		thread: t, code: h.m.Program.Funcs[t.unit.Func], alone: h.m.alonePoints(t.unit.Func),
		byWrite: map[writeKey]int{}, bySource: map[sourceKey]*source{}, learns: map[*node]bool{},
	}
	l.tells = slices.ContainsFunc(l.code.Code, func(in ir.Instr) bool { return handsOn(&in) })
	for i, n := range t.nodes {
		h.targets(l, n)
		if n.cell >= 0 && h.m.learnsAt(t.unit.Func, int(n.pc)) && !h.untilTaken(l, int32(i)) {
			l.learns[n] = true
		}
	}
	h.closures(l)
	starts := make([]bool, len(t.nodes))
	if len(t.nodes) > 0 {
		starts[0] = true
	}
	for _, n := range t.nodes {
		for k := range n.edges {
			if e := &n.edges[k]; e.to != nowhere && !h.idle(l, n, e) {
				starts[e.to] = true
			}
		}
	}
	for i, s := range starts {
		if s && h.work <= maxHopperWork && !h.m.Halted() {
			h.segment(l, int32(i))
		}
	}
}

// targets finds the writes of a node.
func (h *hopper) targets(l *lane, n *node) {
	in := &l.code.Code[n.pc]
	for k := range n.edges {
		_, to := h.touches(l, n, &n.edges[k])
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
			w.able = !l.unit.Place.Host && w.region != memmodel.Pipe && h.m.canBePromised(in)
		}
		l.writes = append(l.writes, w)
	}
}

// restores reports whether an outcome of a node's operation is a read-modify-write that leaves the cell as it is, and tells nobody anything.
// docs/exploration/thread-modular.md, "Values that are written once more".
func (l *lane) restores(n *node, e *edge) bool {
	return e.writes && !e.changes() && !l.code.Code[n.pc].Order.Releases() && !l.tells
}

// idle reports whether an outcome of a node's operation may belong to a round of waiting.
func (h *hopper) idle(l *lane, n *node, e *edge) bool {
	in := &l.code.Code[n.pc]
	switch {
	case e.mark:
		return false
	case in.Op.Access():
		return n.cell >= 0 && h.calm[n.cell] && !e.changes() && !l.learns[n] && !(e.writes && h.m.sync && h.m.tellsAt(l.unit.Func, int(n.pc)))
	}
	return in.Op == ir.OpFence && !h.m.sync || in.Op == ir.OpChoose
}

// calm tells which cells nobody can race for while several units act: all access them by
// atomic operations whose scopes include everybody.
func (a *modular) calm() []bool {
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

// closures finds what may follow each node of a thread.
func (h *hopper) closures(l *lane) {
	l.masks, l.all = h.masks(l), make(facts.Set, (len(l.writes)+63)/64)
	for i := range l.writes {
		l.all.Add(i)
	}
	l.far = h.later(l, func(*node, *edge) facts.Set { return nil })
	l.near = h.later(l, func(n *node, e *edge) facts.Set { return l.masks.stopped(passing(&l.code.Code[n.pc])) })
	l.behind = h.laterBehind(l)
	l.unreleased = h.later(l, func(n *node, e *edge) facts.Set { return h.released(l, n, e) })
	l.unacquired = map[acquirer][]facts.Set{}
}

// later returns, by node, which writes may follow it: what its outcomes write, and what may
// follow where they lead, but what they bar.
func (h *hopper) later(l *lane, bars func(n *node, e *edge) facts.Set) []facts.Set {
	return h.backward(l, func(set facts.Set, sets []facts.Set, n *node, e *edge) (changed bool) {
		barred := bars(n, e)
		if w := l.write(h, n, e); w >= 0 && !set.Has(w) && (barred == nil || !barred.Has(w)) {
			set.Add(w)
			changed = true
		}
		return e.to != nowhere && set.UnionWithout(sets[e.to], barred) || changed
	})
}

// laterBehind returns, by node, which writes may follow it behind something that a promise of them may not pass.
func (h *hopper) laterBehind(l *lane) []facts.Set {
	return h.backward(l, func(set facts.Set, sets []facts.Set, n *node, e *edge) (changed bool) {
		if e.to == nowhere {
			return false
		}
		changed = set.Union(sets[e.to])
		return set.UnionWithout(l.far[e.to], l.masks.stopped(^passing(&l.code.Code[n.pc]))) || changed
	})
}

// backward returns sets of writes, by node, to which step adds for each outcome of the node what it says of the sets so far.
func (h *hopper) backward(l *lane, step func(set facts.Set, sets []facts.Set, n *node, e *edge) (changed bool)) []facts.Set {
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
			for k := range n.edges {
				h.work++
				changed = step(sets[i], sets, n, &n.edges[k]) || changed
			}
		}
	}
	return sets
}

// write returns the number of the write that an outcome performs, or -1.
func (l *lane) write(h *hopper, n *node, e *edge) int {
	_, to := h.touches(l, n, e)
	if to == nowhere {
		return -1
	}
	return l.byWrite[writeKey{to, n.pc}]
}

// segment finds the sources on paths from a node on which nothing has changed since.
func (h *hopper) segment(l *lane, start int32) {
	d := h.idling(l).Dominators(int(start))
	above := map[int32]bool{} // the nodes on all idle paths to the present one
	for _, i := range d.Order {
		n := l.nodes[i]
		clear(above)
		d.Above(i, func(a int) { above[int32(a)] = true })
		for k := range n.edges {
			e := &n.edges[k]
			from, _ := h.touches(l, n, e)
			if from == nowhere {
				continue
			}
			h.addWrites(l, h.source(l, n, e, from), above, n, e)
			if h.again && e.reads && e.writes && !l.restores(n, e) {
				h.addWrites(l, h.source(l, n, e, h.spot(spotKey{n.cell, e.read, true})), above, n, e)
			}
		}
	}
}

// source returns the source of an outcome that reads a spot.
func (h *hopper) source(l *lane, n *node, e *edge, from int) *source {
	k := sourceKey{from, n.pc, e.failed}
	s, ok := l.bySource[k]
	if ok {
		return s
	}
	in := &l.code.Code[n.pc]
	s = &source{hop: hop{unit: l.number, from: from}, lane: l}
	s.read = h.m.readOrder(in, e.failed)
	for _, set := range [...]*facts.Set{&s.far, &s.near, &s.behind, &s.unacquired, &s.unreleased} {
		*set = make(facts.Set, (len(l.writes)+63)/64)
	}
	if h.graph.spots[from].object >= 0 { // and not a barrier
		s.by = acquirer{in.Scope, nowhere}
		if h.graph.chained[n.cell] {
			s.by.cell = n.cell
		}
		s.raw = !s.read.acquires && h.work < maxHopperWork/2
	}
	h.readers[from] = h.readers[from].and(l.number)
	l.bySource[k] = s
	h.sources = append(h.sources, s)
	return s
}

// addWrites adds to a source what may be written after it, unless the path comes to
// a node above, where it must have been before, in vain.
func (h *hopper) addWrites(l *lane, s *source, above map[int32]bool, n *node, first *edge) {
	type place struct {
		node   int32   // where the thread is
		passed passage // on the way there
	}
	seen := map[place]bool{}
	var take func(n *node, e *edge, passed passage)
	take = func(n *node, e *edge, passed passage) {
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
			for k := range next.edges {
				take(next, &next.edges[k], passed)
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

// idling returns the edges that idle outcomes are.
func (h *hopper) idling(l *lane) flow.Edges {
	return func(i int, visit func(int)) {
		n := l.nodes[i]
		for k := range n.edges {
			h.work++
			if e := &n.edges[k]; e.to != nowhere && h.idle(l, n, e) {
				visit(int(e.to))
			}
		}
	}
}
