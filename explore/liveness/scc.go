package liveness

import (
	"context"
	"slices"

	"github.com/clmc/clmc/memmodel"
)

// room is a set of states in which an execution can stay for ever and come to each of them, and make each of the steps that are left,
// again and again: a strongly connected component without the steps that memory fairness forbids there (rule 7.9).
type room struct {
	nodes []uint32
	// unknown: whether executions may stay there could not be decided.
	unknown string
}

// subgraph is the part of a graph that components are looked for in.
type subgraph struct {
	g    *Graph
	ctx  context.Context
	in   []uint32 // by node: the number of the set of nodes that it is in
	set  uint32   // the last number
	dead []uint64 // set of edges that are left out
	// Of Tarjan's algorithm, by node: its number and the lowest that it leads back to, or 0.
	number, low []uint32
	count       uint32
	work        []visit
	open        []uint32
	onOpen      []bool
	ticks       int
}

// visit is a node on the path of the depth-first search, with the edge to be looked at next.
type visit struct{ node, edge uint32 }

// subgraph is all of a graph.
func (g *Graph) subgraph(ctx context.Context) *subgraph {
	n := len(g.nodes)
	return &subgraph{g: g, ctx: ctx, in: make([]uint32, n), dead: make([]uint64, (len(g.edges)+63)/64), number: make([]uint32, n), low: make([]uint32, n), onOpen: make([]bool, n)}
}

// all returns all nodes.
func (z *subgraph) all() []uint32 {
	all := make([]uint32, len(z.in))
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}

func (z *subgraph) isDead(e uint32) bool { return z.dead[e>>6]&(1<<(e&63)) != 0 }

func (z *subgraph) kill(e uint32) { z.dead[e>>6] |= 1 << (e & 63) }

// over reports now and then whether there is no time left.
func (z *subgraph) over() bool {
	z.ticks++
	return z.ticks%(1<<12) == 0 && z.ctx.Err() != nil
}

// findRooms finds the rooms of the graph. It reports whether there was time.
func (g *Graph) findRooms(ctx context.Context) bool {
	if g.searched {
		return true
	}
	z := g.subgraph(ctx)
	for i, e := range g.edges {
		if e.flag&spurious != 0 { // which does not come for ever
			z.kill(uint32(i))
		}
	}
	for todo := [][]uint32{z.all()}; len(todo) > 0; {
		nodes := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		components, ok := z.components(nodes)
		if !ok {
			return false
		}
		for _, c := range components {
			if z.forbid(c) {
				todo = append(todo, c)
			} else if r, ok := z.room(c); ok {
				g.rooms = append(g.rooms, r)
			}
		}
	}
	g.dead, g.searched = z.dead, true
	slices.SortFunc(g.rooms, func(a, b room) int { return int(a.nodes[0]) - int(b.nodes[0]) })
	return true
}

// components returns the strongly connected components of some nodes that have an edge within (Tarjan's algorithm), each in the order in which nodes were found,
// and false if there was no time.
func (z *subgraph) components(nodes []uint32) (all [][]uint32, ok bool) {
	z.set++
	for _, n := range nodes {
		z.in[n], z.number[n] = z.set, 0
	}
	z.count = 0
	for _, root := range nodes {
		if z.number[root] != 0 {
			continue
		}
		for z.push(root); len(z.work) > 0; {
			if z.over() {
				z.work, z.open = nil, nil
				return nil, false
			}
			if c := z.advance(); c != nil && z.cyclic(c) {
				slices.Sort(c)
				all = append(all, c)
			}
		}
	}
	return all, true
}

func (z *subgraph) push(n uint32) {
	z.count++
	z.number[n], z.low[n] = z.count, z.count
	z.open, z.onOpen[n] = append(z.open, n), true
	z.work = append(z.work, visit{n, z.g.nodes[n].first})
}

// advance takes the next edge of the node on top of the path, or leaves that. It returns the component that is closed then, if one is.
func (z *subgraph) advance() []uint32 {
	top := &z.work[len(z.work)-1]
	v := top.node
	for _, to := z.g.out(v); top.edge < to; {
		e := top.edge
		top.edge++
		w := z.g.edges[e].to
		switch {
		case z.isDead(e) || z.in[w] != z.set:
		case z.number[w] == 0:
			z.push(w)
			return nil
		case z.onOpen[w]:
			z.low[v] = min(z.low[v], z.number[w])
		}
	}
	z.work = z.work[:len(z.work)-1]
	if len(z.work) > 0 {
		above := z.work[len(z.work)-1].node
		z.low[above] = min(z.low[above], z.low[v])
	}
	if z.low[v] != z.number[v] {
		return nil
	}
	from := len(z.open) - 1
	for z.open[from] != v {
		from--
	}
	c := slices.Clone(z.open[from:])
	for _, n := range c {
		z.onOpen[n] = false
	}
	z.open = z.open[:from]
	return c
}

// cyclic reports whether a component has an edge within.
func (z *subgraph) cyclic(c []uint32) bool {
	if len(c) > 1 {
		return true
	}
	for e, to := z.g.out(c[0]); e < to; e++ {
		if !z.isDead(e) && z.g.edges[e].to == c[0] {
			return true
		}
	}
	return false
}

// within calls f with each edge of a component, until that returns false.
func (z *subgraph) within(c []uint32, f func(from, e uint32) bool) {
	z.set++
	for _, n := range c {
		z.in[n] = z.set
	}
	for _, n := range c {
		for e, to := z.g.out(n); e < to; e++ {
			if !z.isDead(e) && z.in[z.g.edges[e].to] == z.set && !f(n, e) {
				return
			}
		}
	}
}

// forbid leaves out the steps of a component that cannot be made there again and again: those that read, or write behind, the newest message
// of a location, where that stays the newest for ever (rule 7.9). It reports whether there were any.
func (z *subgraph) forbid(c []uint32) (some bool) {
	changes := map[memmodel.Loc]bool{}
	any := false
	z.within(c, func(_, e uint32) bool {
		d := &z.g.edges[e]
		any = any || d.flag&stale != 0
		if d.flag&renews != 0 {
			changes[d.loc] = true
		}
		for _, x := range z.g.renewals[e] {
			changes[x] = true
		}
		return true
	})
	if !any {
		return false
	}
	var out []uint32
	z.within(c, func(_, e uint32) bool {
		if d := &z.g.edges[e]; d.flag&stale != 0 && !changes[d.loc] {
			out = append(out, e)
		}
		return true
	})
	for _, e := range out {
		z.kill(e)
	}
	return len(out) > 0
}

// room returns the room that a component is, unless no execution can stay there: it would rest on what never comes.
func (z *subgraph) room(c []uint32) (r room, ok bool) {
	r.nodes = c
	first := z.g.profile(c[0])
	open, casts := true, false
	owing := slices.Clone(first.owing)
	for _, n := range c {
		p := z.g.profile(n)
		open = open && p.open
		casts = casts || p.cast != first.cast
		for i := range min(len(owing), len(p.owing)) {
			owing[i] &= p.owing[i]
		}
	}
	kept, odd := false, false
	z.within(c, func(_, e uint32) bool {
		d := &z.g.edges[e]
		kept = kept || d.flag&keeps != 0
		odd = odd || d.flag&stale != 0 && casts && d.loc >= z.g.shared()
		return true
	})
	switch {
	case odd:
		r.unknown = "local memory of kernels that are started again and again is read behind its newest value"
	case open:
		r.unknown = "executions that go round rest on an assumption about release sequences that may never come true"
	case slices.ContainsFunc(owing, func(w uint64) bool { return w != 0 }) && kept:
		r.unknown = "a work-item that goes round always owes a write that others have seen"
	case slices.ContainsFunc(owing, func(w uint64) bool { return w != 0 }):
		return r, false // the write never comes, and others have seen it
	}
	return r, true
}

// shared returns the first location that is not the same in all casts.
func (g *Graph) shared() memmodel.Loc { return memmodel.Loc(len(g.m.Shared)) }
