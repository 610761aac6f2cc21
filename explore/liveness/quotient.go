package liveness

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// renaming says what units and locations were called before symmetric units got other names.
type renaming struct {
	units []int32
	locs  []memmodel.Loc // nil if none has another name
}

// quotient is what a graph keeps of names, whose nodes each stand for all states that are equal but for the names of symmetric units.
// docs/exploration/liveness.md, "Symmetric units".
type quotient struct {
	sorter    state.Sorter
	renamings []renaming        // of which the first one changes nothing
	known     map[string]uint32 // renamings by what they say
	names     []uint32          // by edge: its renaming
}

func newQuotient() *quotient {
	return &quotient{renamings: make([]renaming, 1), known: map[string]uint32{"": 0}}
}

// sort gives units of a state in canonical form their names, and those that have started, and returns the number of the renaming.
func (q *quotient) sort(x *expander, s *state.State, started *[]uint64) uint32 {
	if !q.sorter.Sort(x.m, &x.canon.Canon, s) {
		return 0
	}
	r := renaming{units: slices.Clone(q.sorter.Units)}
	if !slices.IsSorted(q.sorter.Locs) {
		r.locs = slices.Clone(q.sorter.Locs)
	}
	*started = r.set(*started)
	var key []byte
	for _, u := range r.units {
		key = binary.AppendVarint(key, int64(u))
	}
	for _, l := range r.locs {
		key = binary.AppendVarint(key, int64(l))
	}
	n, ok := q.known[string(key)]
	if !ok {
		n = uint32(len(q.renamings))
		q.renamings = append(q.renamings, r)
		q.known[string(key)] = n
	}
	return n
}

// set returns a set of units under their new names.
func (r *renaming) set(old []uint64) []uint64 {
	set := make([]uint64, len(old))
	for u, was := range r.units {
		if has(old, memmodel.Unit(was)) {
			add(set, memmodel.Unit(u))
		}
	}
	return set
}

// after returns the renaming by r of what o has renamed.
func (r *renaming) after(o *renaming) (out renaming) {
	out.units = make([]int32, len(r.units))
	for u, was := range r.units {
		out.units[u] = o.units[was]
	}
	switch {
	case r.locs == nil:
		out.locs = o.locs
	case o.locs == nil:
		out.locs = r.locs
	default:
		out.locs = make([]memmodel.Loc, len(r.locs))
		for x, was := range r.locs {
			out.locs[x] = o.locs[was]
		}
	}
	return out
}

// old returns a set of units under the names that they had before.
func (r *renaming) old(set []uint64) []uint64 {
	out := make([]uint64, len(set))
	for u, was := range r.units {
		if has(set, memmodel.Unit(u)) {
			add(out, memmodel.Unit(was))
		}
	}
	return out
}

func (r *renaming) loc(x memmodel.Loc) memmodel.Loc {
	if r.locs == nil || x < 0 {
		return x
	}
	return r.locs[x]
}

// maxUnfolded bounds the states of one component with their names.
const maxUnfolded = 1 << 14

// sureToEnd reports whether every execution ends that keeps what a model promises to which names are all one. It asks each strongly connected
// component, of which executions may only stay in what memory fairness leaves, with the names that units may have there.
// docs/exploration/liveness.md, "Symmetric units".
func (g *Graph) sureToEnd(ctx context.Context, l Levels) bool {
	if !g.whole() || len(g.Incomplete) > 0 {
		return false
	}
	z := g.subgraph(ctx)
	components, ok := z.components(z.all())
	if !ok {
		return false
	}
	for _, c := range components {
		u, ok := g.unfold(z, c)
		if !ok {
			return false
		}
		if a := u.Check(ctx, Question{Levels: l}); a.Verdict != Ends {
			return false
		}
	}
	return true
}

// unfold returns the graph of the states that a component stands for, as far as they can be come to from one of them, each under the
// names that they had there. It reports false if these are too many or not to be told.
// docs/exploration/liveness.md, "Symmetric units".
func (g *Graph) unfold(z *subgraph, c []uint32) (*Graph, bool) {
	cast := g.profile(c[0]).cast
	if slices.ContainsFunc(c, func(n uint32) bool { return g.profile(n).cast != cast }) {
		return nil, false
	}
	u := &Graph{m: g.m, known: map[string]uint32{}, renewals: map[uint32][]memmodel.Loc{}}
	z.set++
	for _, n := range c {
		z.in[n] = z.set
	}
	f := &folder{g: g, u: u, at: map[string]uint32{}}
	first := renaming{}
	for i := range int32(cast.Count()) {
		first.units = append(first.units, i)
	}
	f.node(c[0], first)
	for u.done < len(f.list) {
		n, r := f.list[u.done].node, f.list[u.done].names
		u.nodes[u.done].first = uint32(len(u.edges))
		u.done++
		for e, to := g.out(n); e < to; e++ {
			if w := g.edges[e].to; z.in[w] == z.set {
				f.edge(e, w, &r)
			}
		}
		if len(u.nodes) > maxUnfolded {
			return nil, false
		}
	}
	return u, true
}

// folder makes the graph of a component with names.
type folder struct {
	g, u *Graph
	list []named
	at   map[string]uint32
}

// named is a node, with the names that units have in its terms.
type named struct {
	node  uint32
	names renaming
}

func (f *folder) node(n uint32, r renaming) uint32 {
	key := binary.AppendUvarint(nil, uint64(n))
	for _, u := range r.units {
		key = binary.AppendVarint(key, int64(u))
	}
	for _, x := range r.locs {
		key = binary.AppendVarint(key, int64(x))
	}
	i, ok := f.at[string(key)]
	if !ok {
		i = uint32(len(f.list))
		f.at[string(key)] = i
		f.list = append(f.list, named{n, r})
		p := *f.g.profile(n)
		p.enabled, p.started, p.owing = r.old(p.enabled), r.old(p.started), r.old(p.owing)
		f.u.nodes = append(f.u.nodes, node{profile: f.u.intern(p)})
		f.u.parents = append(f.u.parents, parent{})
	}
	return i
}

func (f *folder) edge(e, to uint32, r *renaming) {
	d := f.g.edges[e]
	next := *r
	if k := f.g.quotient.names[e]; k > 0 {
		next = f.g.quotient.renamings[k].after(r)
	}
	if list, ok := f.g.renewals[e]; ok {
		var renewed []memmodel.Loc
		for _, x := range list {
			renewed = append(renewed, r.loc(x))
		}
		f.u.renewals[uint32(len(f.u.edges))] = renewed
	}
	f.u.edges = append(f.u.edges, edge{to: f.node(to, next), unit: uint16(r.units[d.unit]), flag: d.flag, loc: r.loc(d.loc)})
}
