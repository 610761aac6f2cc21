package axiom

import (
	"cmp"

	"github.com/clmc/clmc/memmodel"
)

// fault is something that the axioms forbid of a candidate, and edges that show it: a circle, but for
// what is missing (rule 7.1).
type fault struct {
	rule  string
	chain []Edge
}

// faults returns the axioms that a candidate breaks, of each rule the shortest chain.
func (c *candidate) faults() ([]fault, error) {
	list := &faultList{c: c}
	c.orderRelations()
	c.happens()
	for r := range c.hb { // rule 5.6
		for i := range c.events {
			if c.hb[r].has(i, i) {
				list.add("5.6", c.path(r, i, i))
			}
		}
	}
	if len(list.all) > 0 {
		return list.all, nil // what follows from such a relation tells nothing
	}
	list.coherence()
	list.updates()
	list.visibility()
	if !c.turnsHold() || !c.statusesHold() || !c.restoresHold() {
		list.add("12", nil)
	}
	if !c.sequentiallyConsistent() {
		list.order()
	}
	return list.all, nil
}

type faultList struct {
	c   *candidate
	all []fault
}

// add adds a fault, unless a chain as short is known for the rule.
func (l *faultList) add(rule string, chain []Edge) {
	for i := range l.all {
		if f := &l.all[i]; f.rule == rule {
			if len(chain) < len(f.chain) {
				f.chain = chain
			}
			return
		}
	}
	l.all = append(l.all, fault{rule, chain})
}

// coherence looks for what happens before an event that precedes it by modification order and
// reads-from (rules 7.1 to 7.6).
func (l *faultList) coherence() {
	c := l.c
	found := func(rule string, i, k int, between ...Edge) {
		if m := c.memory(i); c.hb[m].has(k, i) {
			l.add(rule, append(c.path(m, k, i), between...))
		}
	}
	readFrom := make([][]int, len(c.events))
	for _, r := range c.readers {
		readFrom[c.source[r]] = append(readFrom[c.source[r]], r)
	}
	for w := range c.events {
		if !c.events[w].access() || !c.events[w].isWrite() {
			continue
		}
		for _, r := range readFrom[w] {
			found("7.2", w, r, c.edge(w, r, ReadBy, ""))
		}
		for later := range c.mo[w].all() {
			found("7.3", w, later, c.edge(w, later, Modified, ""))
			for _, r := range readFrom[later] {
				if r != w {
					found("7.5", w, r, c.edge(w, later, Modified, ""), c.edge(later, r, ReadBy, ""))
				}
			}
		}
	}
	for _, r := range c.readers {
		for w := range c.fr[r].all() {
			older := c.edge(r, w, ReadsOlder, "")
			found("7.6", r, w, older)
			for _, s := range readFrom[w] {
				if s != r {
					found("7.4", r, s, older, c.edge(w, s, ReadBy, ""))
				}
			}
		}
	}
}

// updates looks for read-modify-writes that do not come right behind what they read (rule 7.7).
func (l *faultList) updates() {
	c := l.c
	for _, u := range c.readers {
		if c.events[u].kind != update {
			continue
		}
		src := c.source[u]
		if c.mo.has(u, src) || u == src {
			l.add("7.7", []Edge{c.edge(src, u, ReadBy, ""), c.edge(u, src, Modified, "")})
		}
		for w := range c.mo[src].all() {
			if c.mo.has(w, u) {
				l.add("7.7", []Edge{c.edge(u, w, ReadsOlder, ""), c.edge(w, u, Modified, "")})
			}
		}
	}
}

// visibility looks for ordinary reads of what does not happen before them (rule 7.1).
func (l *faultList) visibility() {
	c := l.c
	for _, r := range c.readers {
		if v := &c.events[r]; !v.atomic() && v.kind != restore && !c.ordering(r).has(c.source[r], r) {
			l.add("7.1", []Edge{c.edge(c.source[r], r, Unordered, "")})
		}
	}
}

func (c *candidate) edge(a, b int, r Relation, rule string) Edge {
	return Edge{From: c.event(a), To: c.event(b), Relation: r, Rule: rule}
}

// shortest returns the shortest way from a to b, of one step at least, along a relation; nil if there is none.
func shortest(next func(int) set, n, a, b int) []int {
	from := make([]int, n)
	for i := range from {
		from[i] = -1
	}
	for work := []int{a}; len(work) > 0; work = work[1:] {
		at := work[0]
		for to := range next(at).all() {
			if from[to] >= 0 {
				continue
			}
			if from[to] = at; to != b {
				work = append(work, to)
				continue
			}
			way := []int{b}
			for at := from[b]; ; at = from[at] {
				way = append([]int{at}, way...)
				if at == a {
					return way
				}
			}
		}
	}
	return nil
}

// path returns how a happens before b, by the relation of that index, in the fewest steps.
func (c *candidate) path(r, a, b int) (edges []Edge) {
	sw := c.synchronisations(r)
	nodes := c.actionsOf(memmodel.Region(r % coarse))
	sequenced := func(i int) set {
		if !nodes.has(i) || c.events[i].initial() {
			return 0
		}
		next := c.po[i] & nodes
		if memmodel.Region(r%coarse) == image && c.events[i].access() && c.events[i].isWrite() {
			next &^= c.reads()
		}
		return next
	}
	initial := func(i int) set {
		if nodes.has(i) && c.events[i].initial() {
			return nodes & c.proper()
		}
		return 0
	}
	commanded := func(i int) (s set) {
		if r != int(local) {
			s |= c.cmds.order[i]
		}
		if r == int(global) {
			s |= c.cmds.fine[i]
		}
		return s
	}
	way := shortest(func(i int) set { return sequenced(i) | initial(i) | commanded(i) | sw[i] }, len(c.events), a, b)
	for k := 1; k < len(way); k++ {
		i, j := way[k-1], way[k]
		switch {
		case sequenced(i).has(j):
			edges = append(edges, c.edge(i, j, Sequenced, "5.1"))
		case sw.has(i, j):
			edges = append(edges, c.edge(i, j, Synchronises, c.syncRule(i, j, r)))
		case initial(i).has(j):
			edges = append(edges, c.edge(i, j, Initialises, "7.1"))
		default:
			edges = append(edges, c.edge(i, j, Commanded, "12"))
		}
	}
	return edges
}

// synchronisations returns what synchronises for a happens-before relation.
func (c *candidate) synchronisations(r int) relation {
	by := c.synchronises()
	if r == coarse {
		return c.withinDevices(by[global])
	}
	return by[r]
}

// syncRule returns the rule by which a synchronises with b for a happens-before relation.
func (c *candidate) syncRule(a, b, r int) string {
	x, y := &c.events[a], &c.events[b]
	rule := "6.1"
	switch {
	case x.kind == entry && y.kind == exit && c.join.has(a, b):
		return "11.3"
	case !c.direct[r%coarse].has(a, b) && x.seqCst() && y.seqCst():
		return "6.8"
	case !c.direct[r%coarse].has(a, b):
		return "6.7"
	case !x.access() && !y.access():
		rule = "6.3"
	case !x.access():
		rule = "6.4"
	case !y.access():
		rule = "6.5"
	}
	if r == int(local) && rule != "6.1" {
		rule = "6.6"
	}
	return rule
}

// met returns the rule by which an event is held up that comes to a barrier, or goes on behind it, or "" if neither of the two does: nobody passes
// a barrier, or a collective function, before all have come.
func (c *candidate) met(events ...int) string {
	for _, e := range events {
		switch v := &c.events[e]; {
		case v.kind != entry && v.kind != exit:
		case v.barrier.collective:
			return "11.6"
		default:
			return "11.4"
		}
	}
	return ""
}

// airless returns the rule that a circle of thinAir breaks: that of what keeps its events in their order, if it is not the values alone.
func airless(circle []Edge) string {
	for _, e := range circle {
		if e.Rule == "11.4" || e.Rule == "11.6" {
			return e.Rule
		}
	}
	return "7.8"
}

// thinAir returns a circle of reads-from and what keeps writes behind what they depend on (rule 7.8).
func (c *candidate) thinAir() (edges []Edge) {
	read := newRelation(len(c.events))
	for _, r := range c.readers {
		read.add(c.source[r], r)
	}
	kept := func(i int) (s set) {
		for b := range c.po[i].all() {
			if !c.mayOvertake(i, b) {
				s.add(b)
			}
		}
		return s
	}
	commanded := func(i int) set { return c.join[i] | c.cmds.order[i] | c.cmds.fine[i] | c.turn[i] }
	var best []int
	for i := range c.events {
		way := shortest(func(i int) set { return read[i] | kept(i) | commanded(i) }, len(c.events), i, i)
		if way != nil && (best == nil || len(way) < len(best)) {
			best = way
		}
	}
	for k := 1; k < len(best); k++ {
		i, j := best[k-1], best[k]
		switch v := &c.events[j]; {
		case read.has(i, j):
			edges = append(edges, c.edge(i, j, ReadBy, ""))
		case kept(i).has(j) && v.deps.has(c.events[i].index):
			edges = append(edges, c.edge(i, j, DependedOn, "7.8"))
		case kept(i).has(j):
			edges = append(edges, c.edge(i, j, KeptBefore, cmp.Or(c.met(i, j), "7.8")))
		case c.join[i].has(j):
			edges = append(edges, c.edge(i, j, Awaited, c.met(i)))
		default:
			edges = append(edges, c.edge(i, j, Commanded, "12"))
		}
	}
	return edges
}
