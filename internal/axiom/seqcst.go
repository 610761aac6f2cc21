package axiom

import "github.com/clmc/clmc/memmodel"

// sequentiallyConsistent checks section 8: there is a total order S of the
// seq_cst operations, irrespective of scope (rule 8.8), that meets its rules.
//
// Every rule but one says that some operation precedes another, so S exists if
// these constraints have no cycle. The exception is rule 8.3 for a load of a
// value that no seq_cst operation wrote, which leaves the choice of the gap
// between two seq_cst writes in which the load falls.
func (c *candidate) sequentiallyConsistent() bool {
	sc := c.seqCsts()
	if sc == 0 || c.e.spec.SCConditional && !c.orderExists(sc) {
		return true
	}
	g := c.constraints(sc)
	if !g.acyclic() {
		return false
	}
	return c.e.spec.SC != memmodel.SCText || c.fillGaps(g, c.gapLoads())
}

func (c *candidate) seqCsts() (s set) {
	for i := range c.events {
		if c.events[i].seqCst() {
			s.add(i)
		}
	}
	return s
}

// orderExists is the condition of rule 8.1, as OpenCL 2.0 has it.
func (c *candidate) orderExists(sc set) bool {
	allSVM, device := true, true
	for i := range sc.all() {
		v := &c.events[i]
		fine := v.access() && c.e.locs[v.loc].region == global && c.e.locs[v.loc].kind.SVMAtomics()
		exempt := !v.access() && c.e.spec.SCFencesExempt
		host := c.e.threads[v.thread].Place.Host // its atomics have no scope
		allSVM = allSVM && v.scope == memmodel.ScopeAllSVMDevices && (fine || exempt)
		device = device && (v.scope == memmodel.ScopeDevice || host) && !fine
	}
	return allSVM || device
}

// constraints returns pairs that S must contain.
func (c *candidate) constraints(sc set) relation {
	g := newRelation(len(c.events))
	for i := range sc.all() { // rule 8.2
		g[i] = (c.hb[global][i] | c.hb[local][i] | c.mo[i]) & sc
	}
	for _, b := range c.readers {
		for a := range c.fr[b].all() {
			if c.events[b].atomic() {
				c.readBefore(g, b, a)
			}
		}
	}
	for a := range c.mo {
		for b := range c.mo[a].all() {
			if c.events[a].atomic() && c.events[b].atomic() {
				c.writtenBefore(g, a, b)
			}
		}
	}
	if c.simplified() {
		c.aroundFences(g, sc)
	}
	if c.e.spec.SC == memmodel.SCScoped {
		c.scoped(g, sc)
	}
	return g
}

// fencesBefore and fencesAfter return the seq_cst fences of i's thread.
func (c *candidate) fencesBefore(i int) (s set) {
	for f := range c.events {
		if v := &c.events[f]; !v.access() && v.seqCst() && c.po.has(f, i) {
			s.add(f)
		}
	}
	return s
}

func (c *candidate) fencesAfter(i int) (s set) {
	for f := range c.events {
		if v := &c.events[f]; !v.access() && v.seqCst() && c.po.has(i, f) {
			s.add(f)
		}
	}
	return s
}

func (c *candidate) simplified() bool {
	return c.e.spec.SC == memmodel.SCSimplified || c.e.spec.SC == memmodel.SCScoped
}

// readBefore adds the constraints of an atomic read b whose source is
// mo-before the write a.
func (c *candidate) readBefore(g relation, b, a int) {
	load, store := &c.events[b], &c.events[a]
	if !store.atomic() {
		return
	}
	if load.seqCst() && store.seqCst() && c.loadPrecedes(b, a) { // rule 8.3
		g.add(b, a)
	}
	after := c.fencesAfter(a)
	if load.seqCst() {
		g[b] |= after // rule 8.5
	}
	for f := range c.fencesBefore(b).all() {
		if store.seqCst() {
			g.add(f, a) // rule 8.4
		}
		g[f] |= after // rule 8.6
	}
}

// loadPrecedes reports whether a seq_cst load b precedes, whatever S is, the
// seq_cst write a that is mo-after b's source.
func (c *candidate) loadPrecedes(b, a int) bool {
	src := &c.events[c.source[b]]
	switch c.e.spec.SC {
	case memmodel.SCText:
		return src.seqCst() || src.initial()
	case memmodel.SCPartial:
		return src.seqCst() || c.ordering(b).has(c.source[b], a)
	}
	return true
}

// writtenBefore adds the constraints of two atomic writes a mo b.
func (c *candidate) writtenBefore(g relation, a, b int) {
	before, after := c.fencesBefore(a), c.fencesAfter(b)
	for f := range before.all() {
		g[f] |= after // rule 8.7
	}
	if !c.simplified() {
		return
	}
	if c.events[b].seqCst() {
		for f := range before.all() {
			g.add(f, b)
		}
	}
	if c.events[a].seqCst() {
		g[a] |= after
	}
}

// aroundFences adds the happens-before constraints of what is sequenced after
// and before seq_cst fences. Those of the fences themselves do not imply them: a
// fence is an action of the kinds of memory that it names only.
func (c *candidate) aroundFences(g relation, sc set) {
	for a := range c.events {
		for b := range (c.hb[global][a] | c.hb[local][a]).all() {
			from, to := c.fencesBefore(a), c.fencesAfter(b)
			if sc.has(a) {
				from.add(a)
			}
			if sc.has(b) {
				to.add(b)
			}
			for f := range from.all() {
				g[f] |= to
			}
		}
	}
}

// scoped keeps only the constraints between operations of inclusive scope.
func (c *candidate) scoped(g relation, sc set) {
	for a := range sc.all() {
		for b := range g[a].all() {
			if !c.inclusive(a, b, -1) {
				g[a] &^= 1 << b
			}
		}
	}
}

// gapLoads lists the seq_cst loads to which the choice of rule 8.3 applies:
// those whose source is neither seq_cst nor initial and happens before some
// seq_cst write of the location.
func (c *candidate) gapLoads() (loads []int) {
	for _, b := range c.readers {
		v, src := &c.events[b], &c.events[c.source[b]]
		if v.kind != read || !v.seqCst() || src.seqCst() || src.initial() {
			continue
		}
		for _, w := range c.writesTo[v.loc] {
			if c.events[w].seqCst() && c.ordering(b).has(c.source[b], w) {
				loads = append(loads, b)
				break
			}
		}
	}
	return loads
}

// fillGaps reports whether every load can be given a gap between the seq_cst
// writes of its location such that its source does not happen before the last
// of those that precede it (rule 8.3).
func (c *candidate) fillGaps(g relation, loads []int) bool {
	if !g.acyclic() {
		return false
	}
	if len(loads) == 0 {
		return true
	}
	b := loads[0]
	var writes []int // of seq_cst order, as S and mo have them
	for _, w := range c.order[c.events[b].loc] {
		if c.events[w].seqCst() {
			writes = append(writes, w)
		}
	}
	for gap := range len(writes) + 1 {
		if gap > 0 && c.ordering(b).has(c.source[b], writes[gap-1]) {
			continue
		}
		h := append(relation(nil), g...)
		if gap > 0 {
			h.add(writes[gap-1], b)
		}
		if gap < len(writes) {
			h.add(b, writes[gap])
		}
		if c.fillGaps(h, loads[1:]) {
			return true
		}
	}
	return false
}
