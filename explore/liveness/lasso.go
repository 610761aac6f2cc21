package liveness

import (
	"context"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// Lasso is an execution that goes on for ever: steps, and steps that lead back to where they begin.
type Lasso struct {
	Stem, Loop []Step
}

// Step is a step of an execution.
type Step struct {
	Unit   memmodel.Unit
	Choice state.Choice
}

// walk is a path in the graph: nodes, with an edge from each.
type walk struct {
	nodes []uint32
	edges []uint32
}

func (w *walk) add(n, e uint32) { w.nodes, w.edges = append(w.nodes, n), append(w.edges, e) }

// lasso returns an execution that goes round in a house and keeps what the house's conduct keeps, and false if none was found.
func (g *Graph) lasso(ctx context.Context, h *house) (*Lasso, bool) {
	h.ctx, h.left = ctx, maxEffort
	start := h.nodes[0] // the one that was found first
	targets := h.targets()
	loop, ok := h.tour(start, targets)
	if !ok || !h.keeps(&loop) {
		h.left = maxEffort
		if loop, ok = h.tour(start, h.everything()); !ok || !h.keeps(&loop) {
			return nil, false
		}
		return g.tell(h, loop)
	}
	for i := len(targets) - 1; i >= 0 && h.left > 0; i-- { // what is not needed is left out
		fewer := slices.Delete(slices.Clone(targets), i, i+1)
		if shorter, ok := h.tour(start, fewer); ok && len(shorter.edges) <= len(loop.edges) && h.keeps(&shorter) {
			targets, loop = fewer, shorter
		}
	}
	return g.tell(h, loop)
}

// maxEffort bounds the edges that are looked at to find a loop, and again to find a shorter one.
const maxEffort = 1 << 24

// target is something that a loop has to come by: a node, or an edge from it.
type target struct {
	node uint32
	edge uint32
	step bool // the edge counts
}

// targets returns what makes a loop keep all that the house's conduct keeps: a step of each unit, states in which those can make none who sometimes
// cannot, or who are lower than others, and a step that renews each location of which something old is read.
func (h *house) targets() (all []target) {
	steps, renewed := map[int]bool{}, map[memmodel.Loc]bool{}
	for pass := range 3 { // first without what is old, and without what may be a round of waiting
		for _, n := range h.nodes {
			for e, to := h.g.out(n); e < to; e++ {
				d := &h.g.edges[e]
				if !h.lives(e) || !h.in[d.to] || pass < 2 && d.flag&stale != 0 || pass < 1 && d.to == n {
					continue
				}
				u := h.walker(n, e)
				if fresh := h.freshens(e, renewed); steps[u] && !fresh {
					continue
				}
				steps[u] = true
				all = append(all, target{n, e, true})
			}
		}
	}
	return append(all, h.states()...)
}

// freshens reports whether an edge renews a location that is not among some, and adds it.
func (h *house) freshens(e uint32, known map[memmodel.Loc]bool) (some bool) {
	note := func(x memmodel.Loc) {
		some = some || !known[x]
		known[x] = true
	}
	if d := &h.g.edges[e]; d.flag&renews != 0 {
		note(d.loc)
	}
	for _, x := range h.g.renewals[e] {
		note(x)
	}
	return some
}

// states returns nodes that a loop has to come by so that nobody is owed more there than in the whole house.
func (h *house) states() (all []target) {
	profiles := map[uint32]uint32{} // with a node of each
	var order []uint32
	for _, n := range h.nodes {
		if _, ok := profiles[h.g.nodes[n].profile]; !ok {
			profiles[h.g.nodes[n].profile] = n
			order = append(order, h.g.nodes[n].profile)
		}
	}
	c := h.conductOfProfiles(order)
	pick := func(shows func(enabled []bool) bool) {
		if i := slices.IndexFunc(c.enabled, shows); i >= 0 {
			all = append(all, target{node: profiles[order[i]]})
		}
	}
	var walk func(t *tree)
	walk = func(t *tree) {
		pick(func(e []bool) bool { return !slices.ContainsFunc(t.members, func(u int) bool { return e[u] }) })
		for i, k := range t.kids {
			if i > 0 && (t.model == HSA || t.model == HSAOBE) {
				pick(func(e []bool) bool { return slices.ContainsFunc(t.kids[i-1].members, func(u int) bool { return e[u] }) })
			}
			walk(k)
		}
	}
	walk(h.tree)
	if i := slices.IndexFunc(order, func(p uint32) bool { return !h.g.profiles[p].open }); i >= 0 {
		all = append(all, target{node: profiles[order[i]]})
	}
	for _, n := range h.nodes { // in which nobody owes anything
		if !slices.ContainsFunc(h.g.profile(n).owing, func(w uint64) bool { return w != 0 }) {
			return append(all, target{node: n})
		}
	}
	return all
}

// conductOfProfiles is what some profiles say of who can make steps.
func (h *house) conductOfProfiles(order []uint32) *conduct {
	c := &conduct{started: make([]bool, len(h.roles))}
	for _, p := range order {
		h.note(c, &h.g.profiles[p])
	}
	return c
}

// everything returns all edges of a house.
func (h *house) everything() (all []target) {
	for _, n := range h.nodes {
		for e, to := h.g.out(n); e < to; e++ {
			if h.lives(e) && h.in[h.g.edges[e].to] {
				all = append(all, target{n, e, true})
			}
		}
	}
	return all
}

// tour returns a walk of at least one step from a node that comes by all targets and back.
func (h *house) tour(start uint32, targets []target) (w walk, ok bool) {
	nodes, edges := map[uint32]bool{}, map[uint32][]uint32{}
	for _, t := range targets {
		if t.step {
			edges[t.node] = append(edges[t.node], t.edge)
		} else {
			nodes[t.node] = true
		}
	}
	at := start
	take := func(e uint32) {
		w.add(at, e)
		if left := slices.DeleteFunc(edges[at], func(o uint32) bool { return o == e }); len(left) > 0 {
			edges[at] = left
		} else {
			delete(edges, at)
		}
		at = h.g.edges[e].to
		delete(nodes, at)
	}
	for delete(nodes, at); len(nodes)+len(edges) > 0; {
		part, ok := h.nearest(at, func(n uint32) bool { return nodes[n] || edges[n] != nil })
		if !ok {
			return w, false
		}
		for _, e := range part {
			take(e)
		}
		if left := edges[at]; left != nil {
			take(left[0])
		}
	}
	if at == start && len(w.edges) == 0 { // any step, and back
		for e, to := h.g.out(start); e < to && len(w.edges) == 0; e++ {
			if h.lives(e) && h.in[h.g.edges[e].to] {
				take(e)
			}
		}
	}
	part, ok := h.nearest(at, func(n uint32) bool { return n == start })
	for _, e := range part {
		take(e)
	}
	return w, ok && len(w.edges) > 0
}

// nearest returns the edges of the shortest walk within the house from a node to one that is wanted, which may be the node itself.
func (h *house) nearest(from uint32, wanted func(uint32) bool) (edges []uint32, ok bool) {
	if wanted(from) {
		return nil, true
	}
	came := map[uint32]parent{from: {}}
	for queue := []uint32{from}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		for e, end := h.g.out(n); e < end; e++ {
			if h.left--; h.left <= 0 || h.left%look == 0 && h.ctx.Err() != nil {
				h.left = 0
				return nil, false
			}
			m := h.g.edges[e].to
			if _, seen := came[m]; seen || !h.lives(e) || !h.in[m] {
				continue
			}
			came[m] = parent{n, e}
			if wanted(m) {
				for at := m; at != from; at = came[at].node {
					edges = append(edges, came[at].edge)
				}
				slices.Reverse(edges)
				return edges, true
			}
			queue = append(queue, m)
		}
	}
	return nil, false
}

// keeps reports whether a scheduler that goes round as a walk does for ever keeps its promises, and memory fairness is kept.
func (h *house) keeps(w *walk) bool {
	if len(w.edges) == 0 {
		return false
	}
	c := h.conductOf(w)
	open := true
	changes := map[memmodel.Loc]bool{}
	for i, n := range w.nodes {
		open = open && h.g.profile(n).open
		d := &h.g.edges[w.edges[i]]
		if d.flag&renews != 0 {
			changes[d.loc] = true
		}
		for _, x := range h.g.renewals[w.edges[i]] {
			changes[x] = true
		}
	}
	for _, e := range w.edges {
		if d := &h.g.edges[e]; d.flag&stale != 0 && !changes[d.loc] {
			return false
		}
	}
	return !open && !h.owes(w) && c.ok(h.tree)
}

// owes reports whether some unit owes a write all the way.
func (h *house) owes(w *walk) bool {
	owing := slices.Clone(h.g.profile(w.nodes[0]).owing)
	for _, n := range w.nodes {
		for i, o := range h.g.profile(n).owing {
			if i < len(owing) {
				owing[i] &= o
			}
		}
	}
	return slices.ContainsFunc(owing, func(o uint64) bool { return o != 0 })
}

// conductOf is that of an execution that goes round as a walk does.
func (h *house) conductOf(w *walk) *conduct {
	c := h.at(w.nodes)
	for i, n := range w.nodes {
		c.steps[h.walker(n, w.edges[i])] = true
	}
	return c
}

// tell returns the execution that leads to a loop and goes round there, and false if memory fairness forbids it or the machine was halted meanwhile.
func (g *Graph) tell(h *house, loop walk) (*Lasso, bool) {
	var stem walk
	for n := loop.nodes[0]; n != 0; n = g.parents[n].node {
		stem.add(g.parents[n].node, g.parents[n].edge)
	}
	slices.Reverse(stem.nodes)
	slices.Reverse(stem.edges)
	l := &Lasso{}
	if g.opt.Rounds {
		return g.realise(h.ctx, stem, loop, h.levels)
	}
	ok := g.perform(h.ctx, l, stem, loop)
	return l, ok
}

// perform finds the steps that a stem and a loop stand for, by making them. It reports whether that came to an end, and memory fairness is kept.
func (g *Graph) perform(ctx context.Context, l *Lasso, stem, loop walk) bool {
	x := newExpander(g.m, g.opt)
	s := g.m.Start(nil)
	x.m.Normalise(&x.canon.Canon, s)
	started := make([]uint64, words(s.Cast))
	var at *state.State // where the loop begins
	for i, w := range []walk{stem, loop} {
		if i == 1 {
			at = &state.State{}
			at.CopyFrom(s)
		}
		for k, e := range w.edges {
			if k%look == look-1 && ctx.Err() != nil {
				return false
			}
			st, ok := g.find(x, s, started, e)
			if !ok {
				return false
			}
			if mv := (Step{st.unit, st.choice}); i == 0 {
				l.Stem = append(l.Stem, mv)
			} else {
				l.Loop = append(l.Loop, mv)
			}
			after := &state.State{}
			after.CopyFrom(st.next)
			s, started = after, slices.Clone(st.started)
		}
	}
	return memoryFair(g.m, at, l.Loop)
}

// find returns the step at a state that an edge stands for.
func (g *Graph) find(x *expander, s *state.State, started []uint64, e uint32) (st step, ok bool) {
	d := g.edges[e]
	var next state.State
	x.of(s, started, memmodel.Unit(d.unit), func(t *step) {
		if ok || t.limit != "" || t.discarded || t.flag != d.flag || t.loc != d.loc {
			return
		}
		if n, seen := g.index[g.fingerprint(x, t)]; seen && n == d.to {
			next.CopyFrom(t.next)
			st, ok = *t, true
			st.next, st.started = &next, slices.Clone(t.started)
		}
	})
	return st, ok
}

// strongLasso returns an execution from a state that comes to no end: one that goes round where all steps that must come lead nowhere else.
func (g *Graph) strongLasso(ctx context.Context, bad uint32, sure []uint64, l Levels) *Lasso {
	z := g.subgraph(ctx)
	for i := range sure {
		z.dead[i] = ^sure[i]
	}
	components, ok := z.components(g.onward(bad, sure))
	if !ok || len(components) == 0 {
		return nil
	}
	c := components[0] // Tarjan's algorithm closes first what nothing leaves
	h := g.house(c, func(e uint32) bool { return sure[e>>6]&(1<<(e&63)) != 0 }, l)
	h.ctx, h.left = ctx, maxEffort
	loop, ok := h.tour(c[0], h.targets())
	if !ok {
		return nil
	}
	lasso, _ := g.tell(h, loop) // that the end is never come to is so even where memory fairness forbids one loop
	return lasso
}

// onward returns the nodes to which edges of a set lead from one, the node first.
func (g *Graph) onward(from uint32, set []uint64) []uint32 {
	all, seen := []uint32{from}, map[uint32]bool{from: true}
	for i := 0; i < len(all); i++ {
		for e, to := g.out(all[i]); e < to; e++ {
			if n := g.edges[e].to; set[e>>6]&(1<<(e&63)) != 0 && !seen[n] {
				seen[n] = true
				all = append(all, n)
			}
		}
	}
	return all
}
