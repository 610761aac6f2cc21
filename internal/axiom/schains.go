package axiom

import (
	"maps"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
)

// order looks for what contradicts that there is an order S (section 8).
func (l *faultList) order() {
	c := l.c
	g := c.constraints(c.seqCsts())
	chain, rules := c.circle(g, nil)
	if chain == nil && c.e.spec.SC == memmodel.SCText {
		chain, rules = c.gapCircle(g, c.gapLoads(), nil)
	}
	l.add(strings.Join(rules, ", "), chain)
}

// circle returns the shortest circle of constraints on S, and the rules that it is made of. placed are those
// that come of where a load was put (rule 8.3).
func (c *candidate) circle(g relation, placed relation) (chain []Edge, rules []string) {
	named := map[string]bool{}
	for i := range c.events {
		way := shortest(func(i int) set { return g[i] }, len(c.events), i, i)
		if way == nil {
			continue
		}
		var edges []Edge
		by := map[string]bool{}
		for k := 1; k < len(way); k++ {
			more, rule := c.constraint(way[k-1], way[k], placed)
			edges, by[rule] = append(edges, more...), true
		}
		if chain == nil || len(edges) < len(chain) {
			chain, named = edges, by
		}
	}
	return chain, slices.Sorted(maps.Keys(named))
}

// gapCircle returns a circle for some way to put the loads to which the choice of rule 8.3 applies
// between the seq_cst writes: each way has one.
func (c *candidate) gapCircle(g relation, loads []int, placed relation) (chain []Edge, rules []string) {
	if chain, rules = c.circle(g, placed); chain != nil || len(loads) == 0 {
		return chain, rules
	}
	b := loads[0]
	var writes []int
	for _, w := range c.order[c.events[b].loc] {
		if c.events[w].seqCst() {
			writes = append(writes, w)
		}
	}
	for gap := range len(writes) + 1 {
		if gap > 0 && c.ordering(b).has(c.source[b], writes[gap-1]) {
			continue
		}
		h, put := append(relation(nil), g...), newRelation(len(c.events))
		if placed != nil {
			put.include(placed)
		}
		if gap > 0 {
			h.add(writes[gap-1], b)
			put.add(writes[gap-1], b)
		}
		if gap < len(writes) {
			h.add(b, writes[gap])
			put.add(b, writes[gap])
		}
		if found, by := c.gapCircle(h, loads[1:], put); chain == nil || found != nil && len(found) < len(chain) {
			chain, rules = found, by
		}
	}
	return chain, rules
}

// constraint tells by which rule a must precede b in S, and how that comes about.
func (c *candidate) constraint(a, b int, placed relation) (edges []Edge, rule string) {
	for r := range c.hb {
		if r < coarse && c.hb[r].has(a, b) {
			return c.path(r, a, b), "8.2"
		}
	}
	if c.mo.has(a, b) {
		return []Edge{c.edge(a, b, Modified, "8.2")}, "8.2"
	}
	if c.fr[a].has(b) && c.events[b].seqCst() {
		return []Edge{c.edge(a, b, ReadsOlder, "8.3")}, "8.3"
	}
	if placed != nil && placed.has(a, b) {
		return []Edge{c.edge(a, b, BeforeInS, "8.3")}, "8.3"
	}
	if edges, rule = c.aroundFence(a, b); edges != nil {
		return edges, rule
	}
	for x := range (c.behind(a) | 1<<a).all() { // what the simplified rules say of happens-before around fences
		for y := range (c.ahead(b) | 1<<b).all() {
			for r := range c.hb {
				if r < coarse && c.hb[r].has(x, y) {
					return slices.Concat(c.sequence(a, x), c.path(r, x, y), c.sequence(y, b)), "8.2"
				}
			}
		}
	}
	return []Edge{c.edge(a, b, BeforeInS, "8")}, "8"
}

// aroundFence tells how a precedes b because of an access behind the fence a, or before the fence b.
func (c *candidate) aroundFence(a, b int) (edges []Edge, rule string) {
	for x := range (c.behind(a) | 1<<a).all() {
		for y := range (c.ahead(b) | 1<<b).all() {
			if !c.events[x].access() || !c.events[y].access() || !c.events[x].atomic() || !c.events[y].atomic() {
				continue
			}
			relation := ReadsOlder
			switch {
			case c.fr[x].has(y):
				rule = [2][2]string{{"8.3", "8.5"}, {"8.4", "8.6"}}[count(x != a)][count(y != b)]
			case c.mo.has(x, y):
				relation, rule = Modified, "8.7"
			default:
				continue
			}
			edges = append(c.sequence(a, x), c.edge(x, y, relation, rule))
			return append(edges, c.sequence(y, b)...), rule
		}
	}
	return nil, ""
}

// behind returns what is sequenced after a, if that is a fence, and ahead what is sequenced before it.
func (c *candidate) behind(a int) set {
	if c.events[a].access() {
		return 0
	}
	return c.po[a]
}

func (c *candidate) ahead(b int) (s set) {
	if c.events[b].access() {
		return 0
	}
	for i := range c.events {
		if c.po.has(i, b) {
			s.add(i)
		}
	}
	return s
}

// sequence is the edge from a to b of one thread, if they are not the same.
func (c *candidate) sequence(a, b int) []Edge {
	if a == b {
		return nil
	}
	return []Edge{c.edge(a, b, Sequenced, "5.1")}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
