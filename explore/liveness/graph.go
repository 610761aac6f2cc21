package liveness

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// Graph is the graph of the states of a program, as far as it was built. Nothing that a unit can do is left out of it: a
// unit that waits has an edge back to where it is.
type Graph struct {
	m        *state.Machine
	opt      Options
	nodes    []node
	edges    []edge // of the nodes, one's after another's
	parents  []parent
	renewals map[uint32][]memmodel.Loc // by edge with manyRenewed: the locations
	profiles []profile
	known    map[string]uint32       // profiles by what they say
	index    map[xxh3.Uint128]uint32 // nodes by fingerprint
	queue    [][]byte                // encoded states, from node `done` on
	queued   int                     // bytes of them
	done     int                     // nodes that have been expanded; the others have no edges yet
	stopped  bool                    // it may not grow any more
	x        *expander
	quotient *quotient // what is known of names, if nodes stand for all states that are equal but for them
	// Incomplete says why states or steps are missing, if some are.
	Incomplete []string
	rooms      []room   // what can be repeated for ever, once it is known
	dead       []uint64 // set of edges that no room has
	searched   bool     // that is known
}

// node is a state.
type node struct {
	first   uint32 // of its edges
	profile uint32 // what there is to be known of it
}

// edge is a step. It takes twelve bytes.
type edge struct {
	to   uint32       // the node that it leads to
	unit uint16       // who makes it, by its number in the cast of the node that it comes from
	flag flag         // what there is to be said of it
	loc  memmodel.Loc // the location that it reads or writes, or -1
}

// flag is a set of what edges are.
type flag uint16

const (
	stale       flag = 1 << iota // reads a message that is not the newest, or writes one that does not become the newest
	renews                       // the newest message of its location is another one afterwards
	manyRenewed                  // so are those of other locations: see Graph.renewals
	spurious                     // a weak compare-exchange fails though it could succeed
	keeps                        // a promise is kept
	cutOff                       // no edge but its place: the step leads to what is not known, or counts as an end
)

// parent is how a node was come to first.
type parent struct{ node, edge uint32 }

// profile is what obligations ask of a state.
type profile struct {
	cast    *state.Cast
	enabled []uint64 // set of units that can make a step
	started []uint64 // set of units that have, or of whose group some unit has
	owing   []uint64 // set of units that have promised a write
	open    bool     // the execution rests on an assumption that has not come true
	end     bool     // nobody can make a step, and nobody needs to; or it is not known who can
	cut     bool     // not all of its steps are known, or one counts as an end
}

// Options say how to build a graph.
type Options struct {
	Starts    bool             // it matters which groups have started
	Each      bool             // it matters which units have, not only which groups
	Rounds    bool             // a round of waiting leads back to where it begins, though its unit has seen more then
	AtOnce    Whose            // whose steps are made at once that need no choice of who comes first
	Symmetric bool             // states that are equal but for the names of symmetric units are one
	Direct    bool             // of Decide: nothing is left out
	Once      bool             // of Decide: where a graph has met a bound, none is built in which less is left out
	WayOut    bool             // of Decide: it is known that from each state some execution comes to the end
	All       bool             // an execution of each component is wanted that goes on for ever
	Look      int              // of Decide: how many states a graph has when it is first looked at, 0 for a few
	MaxStates int              // a bound on nodes, 0 for none
	Mem       int              // a bound on bytes, 0 for none
	Given     int              // what that bound is called, if not by itself
	Progress  func(states int) // is called now and then, if set
}

// Whose says of whom it is sure, whatever the models that a graph is asked about, that they make a step some time if they can always make one.
type Whose uint8

// Whose steps are made at once.
const (
	Nobody  Whose = iota // or nothing is to be left out
	NoItem               // host threads, commands and copies; of work-items, steps that nobody notices are made at once, too
	Started              // those, and work-items of work-groups that have started
)

// Needs returns what a graph must tell for questions.
func Needs(all []Question) (o Options) {
	for _, q := range all {
		o.Starts = o.Starts || q.Device.starts()
		o.Each = o.Each || q.Group.starts() || q.SubGroups && q.Sub.starts()
	}
	return o
}

const (
	maxMessages = 256 // of a location that somebody may still read, as in the search
	look        = 1 << 8
)

// Build builds the graph of a machine's program, as far as ctx and the options allow.
// docs/exploration/liveness.md, "Executions that go on for ever".
func Build(ctx context.Context, m *state.Machine, opt Options) *Graph {
	g := begin(ctx, m, opt)
	g.grow(ctx, math.MaxInt)
	return g
}

// begin returns a graph of the first state.
func begin(ctx context.Context, m *state.Machine, opt Options) *Graph {
	g := &Graph{m: m, opt: opt, x: newExpander(m, opt), known: map[string]uint32{}, index: map[xxh3.Uint128]uint32{}, renewals: map[uint32][]memmodel.Loc{}}
	init := m.Start(nil)
	if init.Abandoned {
		if ctx.Err() != nil || m.Halted() {
			g.lacks(why(ctx))
		}
		return g
	}
	g.x.canon.Normalise(m, init)
	started := make([]uint64, words(init.Cast))
	if opt.Symmetric {
		g.quotient = newQuotient()
		g.quotient.sort(g.x, init, &started)
	}
	g.node(g.x, init, started, parent{})
	return g
}

// grow expands nodes until the graph has so many, is whole, or may not go on.
func (g *Graph) grow(ctx context.Context, size int) {
	g.rooms, g.dead, g.searched = nil, nil, false
	for from := g.done; g.done < len(g.nodes) && len(g.nodes) < size; {
		if (g.done-from)%look == 0 && !g.mayGoOn(ctx) {
			g.stopped = true
			return
		}
		g.expand(g.x)
		if g.m.Halted() {
			g.lacks(why(ctx))
			g.stopped = true
			return
		}
	}
}

// whole reports whether all nodes have been expanded.
func (g *Graph) whole() bool { return g.done == len(g.nodes) }

// why says why a context has ended.
func why(ctx context.Context) string {
	if ctx.Err() != nil {
		return guard.Left(ctx).Error()
	}
	return "the bound on work was met"
}

// mayGoOn reports whether there is time and room to go on.
func (g *Graph) mayGoOn(ctx context.Context) bool {
	if g.opt.Progress != nil {
		g.opt.Progress(len(g.nodes))
	}
	switch {
	case ctx.Err() != nil:
		g.lacks(why(ctx))
	case g.opt.Mem > 0 && g.bytes() > g.opt.Mem:
		g.lacks(fmt.Sprintf("the memory limit of %d MiB was met", cmp.Or(g.opt.Given, g.opt.Mem)>>20))
	case g.m.Notes().Outgrown():
		g.lacks("the memory limit was met")
	default:
		return true
	}
	return false
}

// nodeBytes is about what a node takes beside its edges: itself, how it was come to, its place in the index, and what looking for components takes.
const nodeBytes = 8 + 8 + 2*24 + 16 + 40

// edgeBytes is what looking for ways out takes for each edge, beside the twelve bytes of itself.
const edgeBytes = 4

// queueBytes is about what a state takes that has not been expanded, beside its text.
const queueBytes = 40

// bytes is about what the graph takes.
func (g *Graph) bytes() int {
	return cap(g.edges)*12 + len(g.edges)*edgeBytes + len(g.nodes)*nodeBytes + g.queued + (len(g.nodes)-g.done)*queueBytes
}

// States returns how many states the graph has.
func (g *Graph) States() int { return len(g.nodes) }

// Edges returns how many steps the graph has.
func (g *Graph) Edges() int { return len(g.edges) }

// lacks notes why the graph is not whole.
func (g *Graph) lacks(why string) {
	if !slices.Contains(g.Incomplete, why) {
		g.Incomplete = append(g.Incomplete, why)
	}
}

// out returns the edges of a node, as a range of their numbers.
func (g *Graph) out(n uint32) (from, to uint32) {
	if int(n) >= g.done {
		return 0, 0
	}
	from, to = g.nodes[n].first, uint32(len(g.edges))
	if int(n)+1 < g.done {
		to = g.nodes[n+1].first
	}
	return from, to
}

// profile returns what is known of a node.
func (g *Graph) profile(n uint32) *profile { return &g.profiles[g.nodes[n].profile] }

// node returns the number of a state in canonical form, which is new or not.
func (g *Graph) node(x *expander, s *state.State, started []uint64, from parent) (n uint32, ok bool) {
	x.buf = appendWords(s.Append(x.buf[:0]), started)
	fp := xxh3.Hash128(x.buf)
	if n, ok := g.index[fp]; ok {
		return n, true
	}
	if g.opt.MaxStates > 0 && len(g.nodes) >= g.opt.MaxStates {
		g.lacks(fmt.Sprintf("the bound of %d states was met", g.opt.MaxStates))
		return 0, false
	}
	n = uint32(len(g.nodes))
	g.index[fp] = n
	g.nodes = append(g.nodes, node{profile: g.intern(x.profile(s, started))})
	g.parents = append(g.parents, from)
	g.queue = append(g.queue, slices.Clone(x.buf))
	g.queued += len(x.buf)
	return n, true
}

// intern returns the number of a profile.
func (g *Graph) intern(p profile) uint32 {
	key := fmt.Append(nil, p.cast.ID, p.enabled, p.started, p.owing, p.open, p.end, p.cut)
	n, ok := g.known[string(key)]
	if !ok {
		n = uint32(len(g.profiles))
		g.profiles = append(g.profiles, p)
		g.known[string(key)] = n
	}
	return n
}

// expand adds the edges of the next node.
func (g *Graph) expand(x *expander) {
	n := uint32(g.done)
	text := g.queue[0]
	g.queue[0], g.queue = nil, g.queue[1:]
	g.queued -= len(text)
	g.done++
	g.nodes[n].first = uint32(len(g.edges))
	s, started, err := x.decode(text)
	if err != nil {
		panic("liveness: a state cannot be decoded: " + err.Error())
	}
	if g.steps(x, n, s, started) {
		p := *g.profile(n)
		p.cut = true
		g.nodes[n].profile = g.intern(p)
	}
}

// steps adds the edges of a node, and reports whether some step has none.
func (g *Graph) steps(x *expander, n uint32, s *state.State, started []uint64) (cut bool) {
	known := false // a step leads to a node that has been expanded
	add := func(st *step) {
		switch {
		case st.limit != "":
			g.lacks(st.limit)
			cut = true
			return
		case st.discarded:
			cut = true
			return
		}
		names := uint32(0)
		if g.quotient != nil && !st.round {
			names = g.quotient.sort(x, st.next, &st.started)
		}
		to, ok := g.node(x, st.next, st.started, parent{n, uint32(len(g.edges))})
		if !ok {
			cut = true
			return
		}
		known = known || int(to) < g.done
		e := edge{to: to, unit: uint16(st.unit), flag: st.flag, loc: st.loc}
		if g.has(n, e, names) {
			return
		}
		if g.quotient != nil {
			g.quotient.names = append(g.quotient.names, names)
		}
		if st.flag&manyRenewed != 0 {
			g.renewals[uint32(len(g.edges))] = slices.Clone(st.renewed)
		}
		g.edges = append(g.edges, e)
	}
	u := x.atOnce(s, started)
	if u < 0 {
		x.each(s, started, -1, add)
		return cut
	}
	x.of(s, started, u, add)
	if known && x.por.ComesBack(s, u) { // nobody is to be ignored for ever
		x.each(s, started, u, add)
	}
	return cut
}

// has reports whether the node that is being expanded has such an edge already.
func (g *Graph) has(n uint32, e edge, names uint32) bool {
	if e.flag&manyRenewed != 0 {
		return false
	}
	from := g.nodes[n].first
	for i, o := range g.edges[from:] {
		if o == e && (g.quotient == nil || g.quotient.names[int(from)+i] == names) {
			return true
		}
	}
	return false
}

// fingerprint returns that of the state to which a step leads.
func (g *Graph) fingerprint(x *expander, st *step) xxh3.Uint128 {
	x.buf = appendWords(st.next.Append(x.buf[:0]), st.started)
	return xxh3.Hash128(x.buf)
}

// SubGroups reports whether some sub-group has several work-items.
func (g *Graph) SubGroups() bool {
	for i := range g.profiles {
		places := map[memmodel.Place]bool{}
		for _, r := range g.profiles[i].cast.Units {
			if isItem(&r) {
				if places[r.Place] {
					return true
				}
				places[r.Place] = true
			}
		}
	}
	return false
}
