package liveness

import (
	"context"
	"fmt"
	"slices"

	"github.com/clmc/clmc/state"
)

// Verdict is what is known of a question.
type Verdict uint8

// The verdicts.
const (
	Unknown Verdict = iota // not everything is known, and what is does not run for ever
	Ends                   // every execution comes to its end
	Runs                   // some execution may go on for ever
)

// Answer answers a question.
type Answer struct {
	Question
	Verdict Verdict
	Why     []string // of Unknown: why
	Lasso   *Lasso   // of Runs: such an execution
	More    []*Lasso // of Runs, with Options.All: others, of other components
}

// Check answers a question.
// docs/exploration/liveness.md, "Executions that go on for ever".
func (g *Graph) Check(ctx context.Context, q Question) Answer {
	a := Answer{Question: q}
	if len(g.nodes) == 0 {
		a.Why = g.Incomplete
		return a
	}
	if q.Fairness == Strong {
		g.checkStrong(ctx, &a)
	} else {
		g.checkWeak(ctx, &a)
	}
	if a.Verdict == Unknown {
		a.Why = append(a.Why, g.Incomplete...)
		if !g.whole() && len(g.Incomplete) == 0 {
			a.Why = append(a.Why, "not all states are known")
		}
		if len(a.Why) == 0 {
			a.Verdict = Ends
		}
	}
	return a
}

// checkWeak looks for a room in which a scheduler that keeps its promises may stay.
func (g *Graph) checkWeak(ctx context.Context, a *Answer) {
	if !g.findRooms(ctx) {
		a.Why = append(a.Why, why(ctx))
		return
	}
	for i := range g.rooms {
		if i%look == look-1 && ctx.Err() != nil {
			a.Why = append(a.Why, why(ctx))
			return
		}
		r := &g.rooms[i]
		h := g.house(r.nodes, g.lives, a.Levels)
		if !h.conduct().ok(h.tree) {
			continue
		}
		if r.unknown != "" {
			a.Why = append(a.Why, r.unknown)
			continue
		}
		if g.x == nil || g.quotient != nil { // whose states are not told
			a.Why = append(a.Why, "an execution may go round for ever")
			return
		}
		l, ok := g.lasso(ctx, h)
		if !ok {
			a.Why = append(a.Why, "an execution that goes round could not be followed for ever")
			continue
		}
		if a.Lasso == nil {
			a.Verdict, a.Lasso = Runs, l
		} else {
			a.More = append(a.More, l)
		}
		if !g.opt.All || len(a.More) >= maxMore {
			break
		}
	}
	if a.Verdict == Runs {
		a.Why = nil
	}
}

// maxMore bounds the executions of other components.
const maxMore = 1 << 8

// lives reports whether an edge is of some room, if both its ends are.
func (g *Graph) lives(e uint32) bool { return g.dead[e>>6]&(1<<(e&63)) == 0 }

// house is a set of nodes with the edges within that count, and the tree of its units.
type house struct {
	g      *Graph
	levels Levels
	nodes  []uint32
	in     map[uint32]bool
	lives  func(e uint32) bool
	roles  []*state.Role
	number map[uint64]int // of roles, by ID
	tree   *tree
	ctx    context.Context // of looking for a loop
	left   int             // how many edges may be looked at for that
}

func (g *Graph) house(nodes []uint32, lives func(e uint32) bool, l Levels) *house {
	h := &house{g: g, levels: l, nodes: nodes, in: make(map[uint32]bool, len(nodes)), lives: lives}
	var casts []*state.Cast
	for _, n := range nodes {
		h.in[n] = true
		if c := g.profile(n).cast; !slices.Contains(casts, c) {
			casts = append(casts, c)
		}
	}
	h.roles, h.number = unitsOf(casts)
	h.tree = plant(h.roles, l)
	return h
}

// walker returns which unit of the house makes an edge from a node.
func (h *house) walker(n, e uint32) int {
	return h.number[h.g.profile(n).cast.Units[h.g.edges[e].unit].ID]
}

// conduct is that of an execution that comes to all nodes and makes all steps.
func (h *house) conduct() *conduct {
	c := h.at(h.nodes)
	for _, n := range h.nodes {
		for e, to := h.g.out(n); e < to; e++ {
			if h.lives(e) && h.in[h.g.edges[e].to] {
				c.steps[h.walker(n, e)] = true
			}
		}
	}
	return c
}

// at is the conduct of an execution that comes to some nodes, as far as these tell it: no steps.
func (h *house) at(nodes []uint32) *conduct {
	c := &conduct{steps: make([]bool, len(h.roles)), started: make([]bool, len(h.roles))}
	seen := map[uint32]bool{}
	for _, n := range nodes {
		if p := h.g.nodes[n].profile; !seen[p] {
			seen[p] = true
			h.note(c, &h.g.profiles[p])
		}
	}
	return c
}

// note adds a profile to a conduct.
func (h *house) note(c *conduct, p *profile) {
	enabled := make([]bool, len(h.roles))
	for u := range p.cast.Count() {
		i := h.number[p.cast.Units[u].ID]
		enabled[i] = has(p.enabled, u)
		c.started[i] = c.started[i] || has(p.started, u)
	}
	c.enabled = append(c.enabled, enabled)
}

// checkStrong looks for a state from which no steps of those whom the scheduler may not neglect lead to the end, nor to where
// there are none such.
func (g *Graph) checkStrong(ctx context.Context, a *Answer) {
	n := len(g.nodes)
	sure := make([]uint64, (len(g.edges)+63)/64) // set of edges by units that are guaranteed where they make them
	good := make([]bool, n)
	var todo []uint32
	firm := map[uint32][]bool{} // by profile: which units are guaranteed; nil where a node is left to whom it likes
	for i := range uint32(n) {
		if i%look == 0 && ctx.Err() != nil {
			a.Why = append(a.Why, why(ctx))
			return
		}
		p := g.nodes[i].profile
		f, ok := firm[p]
		if !ok {
			f = guaranteedAt(&g.profiles[p], a.Levels)
			firm[p] = f
		}
		q := &g.profiles[p]
		if int(i) >= g.done || q.end || q.cut || q.open || f == nil {
			good[i] = true
			todo = append(todo, i)
			continue
		}
		for e, to := g.out(i); e < to; e++ {
			if f[g.edges[e].unit] {
				sure[e>>6] |= 1 << (e & 63)
			}
		}
	}
	if !g.spread(ctx, good, todo, sure) {
		a.Why = append(a.Why, why(ctx))
		return
	}
	bad := slices.Index(good, false)
	if bad < 0 {
		return
	}
	a.Verdict = Runs
	a.Lasso = g.strongLasso(ctx, uint32(bad), sure, a.Levels)
}

// spread finds all nodes from which some edges lead to good ones.
func (g *Graph) spread(ctx context.Context, good []bool, todo []uint32, sure []uint64) bool {
	first := make([]uint32, len(g.nodes)+1) // of those who come to a node, in from
	for e := range g.edges {
		if sure[e>>6]&(1<<(e&63)) != 0 {
			first[g.edges[e].to+1]++
		}
	}
	for i := range g.nodes {
		first[i+1] += first[i]
	}
	from, at := make([]uint32, first[len(g.nodes)]), slices.Clone(first)
	for n := range uint32(len(g.nodes)) {
		for e, to := g.out(n); e < to; e++ {
			if sure[e>>6]&(1<<(e&63)) != 0 {
				w := g.edges[e].to
				from[at[w]] = n
				at[w]++
			}
		}
	}
	for ticks := 1; len(todo) > 0; ticks++ {
		if ticks%(1<<12) == 0 && ctx.Err() != nil {
			return false
		}
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, v := range from[first[w]:first[w+1]] {
			if !good[v] {
				good[v] = true
				todo = append(todo, v)
			}
		}
	}
	return true
}

// guaranteedAt returns which units can make a step at a state and are not to be neglected there. It is nil if some node that is not
// to be neglected itself has to serve somebody, and may choose whom: nothing says what comes then.
func guaranteedAt(p *profile, l Levels) []bool {
	roles, number := unitsOf([]*state.Cast{p.cast})
	c := &conduct{started: make([]bool, len(roles))}
	enabled := make([]bool, len(roles))
	for u := range p.cast.Count() {
		i := number[p.cast.Units[u].ID]
		enabled[i], c.started[i] = has(p.enabled, u), has(p.started, u)
	}
	c.enabled = [][]bool{enabled}
	firm := make([]bool, len(roles))
	if !c.firm(plant(roles, l), enabled, firm) {
		return nil
	}
	byUnit := make([]bool, len(roles))
	for u := range p.cast.Count() {
		byUnit[u] = firm[number[p.cast.Units[u].ID]]
	}
	return byUnit
}

// firm notes which units below a node, that is not to be neglected itself, are not to be neglected. It reports false if some node may choose whom it serves.
func (c *conduct) firm(t *tree, enabled, firm []bool) bool {
	if t.unit >= 0 {
		firm[t.unit] = enabled[t.unit]
		return true
	}
	some := c.off(t.members)
	for i, k := range t.kids {
		if !c.off(k.members) && c.guaranteed(t, i) {
			if some = true; !c.firm(k, enabled, firm) {
				return false
			}
		}
	}
	return some
}

// Describe returns what is to be said of a graph in one line, for tests and figures.
func (g *Graph) Describe() string {
	return fmt.Sprintf("%d states, %d steps", len(g.nodes), len(g.edges))
}
