package axiom

import "github.com/clmc/clmc/memmodel"

// independent reports whether the execution can be put into an order in which
// every source comes before its reads and program order is kept, but for
// writes that may overtake what comes before them.
func (c *candidate) independent() bool {
	g := newRelation(len(c.events))
	g.include(c.join)
	g.include(c.cmds.order)
	g.include(c.cmds.fine)
	g.include(c.turn)
	c.told(g)
	for _, r := range c.readers {
		g.add(c.source[r], r)
	}
	for b := range c.events {
		for a := range c.events {
			if c.po.has(a, b) && !c.mayOvertake(a, b) {
				g.add(a, b)
			}
		}
	}
	return g.acyclic()
}

// mayOvertake reports whether write b may be performed before event a, which
// comes before it in program order, and so before all events between.
func (c *candidate) mayOvertake(a, b int) bool {
	w := &c.events[b]
	if !w.access() || !w.isWrite() || w.order == memmodel.NonAtomic || c.e.threads[w.thread].Place.Host {
		return false
	}
	for e := range c.events {
		if e != a && !(c.po.has(a, e) && c.po.has(e, b)) {
			continue
		}
		v := &c.events[e]
		if w.deps.has(v.index) || v.kind == entry || v.kind == exit || v.kind == command {
			return false
		}
		if v.kind == fence && v.order.Releases() && (v.seqCst() || c.inRegion(e, c.region(b))) {
			return false // it publishes through the write, or S orders it
		}
		if v.access() && v.isWrite() && v.order.Releases() && v.loc == w.loc {
			return false // it would head a release sequence with the write
		}
		if w.order.Releases() && (c.inRegion(e, c.region(b)) || c.e.spec.SCBoth && (v.seqCst() || w.seqCst())) {
			return false // what the write releases depends on it
		}
	}
	return true
}

// inRegion reports whether an event belongs to a region's happens-before,
// whatever seq_cst adds.
func (c *candidate) inRegion(e int, region memmodel.Region) bool {
	v := &c.events[e]
	if v.access() {
		return c.region(e) == region
	}
	flag := memmodel.GlobalFence
	if region == memmodel.Local {
		flag = memmodel.LocalFence
	}
	return v.order != memmodel.Relaxed && v.flags&flag != 0
}
