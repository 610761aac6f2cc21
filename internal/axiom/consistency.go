package axiom

import "fmt"

// judge decides a complete candidate and, if it is consistent, records what it
// shows.
func (c *candidate) judge() error {
	if err := c.e.tick(); err != nil {
		return err
	}
	if c.e.why != nil {
		return c.e.why.consider(c)
	}
	c.orderRelations()
	c.happens()
	if !c.hb[global].irreflexive() || !c.hb[local].irreflexive() { // rule 5.6
		return nil
	}
	if !c.coherent() || !c.visible() || !c.turnsHold() || !c.statusesHold() || !c.restoresHold() {
		return nil
	}
	allowed := c.sequentiallyConsistent()
	if c.e.onSC != nil {
		c.e.onSC(c, allowed)
	}
	if allowed {
		return c.record()
	}
	return nil
}

// orderRelations computes mo and fr from the chosen orders and sources.
func (c *candidate) orderRelations() {
	c.mo, c.fr = newRelation(len(c.events)), newRelation(len(c.events))
	for _, order := range c.order {
		for i, w := range order {
			for _, later := range order[i+1:] {
				c.mo.add(w, later)
			}
		}
	}
	for _, r := range c.readers {
		c.fr[r] = c.mo[c.source[r]] &^ (1 << r)
	}
}

// coherent checks rules 7.2 to 7.6: nothing happens before what precedes it in
// mo, reads-from, or their combinations.
func (c *candidate) coherent() bool {
	rf := newRelation(len(c.events))
	for _, r := range c.readers {
		rf.add(c.source[r], r)
	}
	before := newRelation(len(c.events))
	before.include(c.mo)
	before.include(c.fr)
	before.include(rf)
	before.include(c.mo.compose(rf))
	before.include(c.fr.compose(rf))
	for i := range before {
		if !c.events[i].access() {
			continue
		}
		h := c.ordering(i)
		for k := range before[i].all() {
			if h.has(k, i) {
				return false
			}
		}
	}
	return true
}

// visible checks rule 7.1: a non-atomic read takes a visible side effect.
func (c *candidate) visible() bool {
	for _, r := range c.readers {
		v := &c.events[r]
		if v.atomic() || v.kind == restore {
			continue
		}
		h, src := c.ordering(r), c.source[r]
		if !h.has(src, r) {
			return false
		}
		for _, w := range c.writesTo[v.loc] {
			if h.has(src, w) && h.has(w, r) {
				return false
			}
		}
	}
	return true
}

// record adds a consistent execution to the result.
func (c *candidate) record() error {
	res := &c.e.result
	if err := c.matchMaps(); err != nil {
		return err
	}
	res.Executions++
	a, b, race := c.race()
	uninit := c.readsNothing()
	if race && !res.Race {
		res.Example = fmt.Sprintf("race between %v and %v", &c.events[a], &c.events[b])
	}
	c.locate()
	forbidden := c.mismapped() || c.misfreed()
	res.Race = res.Race || race
	res.Mapping = res.Mapping || forbidden
	res.Uninit = res.Uninit || uninit
	if race || uninit || forbidden {
		return nil
	}
	for i, p := range c.paths {
		if p.fault {
			mark(&res.Unraced, Site{c.e.threads[i].Func, p.end})
		}
	}
	if c.unfenced() {
		res.Unfenced = true
		return nil
	}
	if c.failed {
		res.Failed = true
		return nil
	}
	for _, p := range c.paths {
		if p.fault {
			res.Failed = true
			return nil
		}
	}
	if c.partial() {
		return nil
	}
	if c.diverged {
		res.Divergence = true
		return nil
	}
	if c.cmds.stuck || c.cmds.abnormal {
		res.Deadlock = res.Deadlock || c.cmds.stuck
		res.Abnormal = res.Abnormal || c.cmds.abnormal
		return nil
	}
	o := c.outcome()
	c.e.outcomes[fmt.Sprint(o)] = o
	return nil
}

// readsNothing reports whether some read takes the indeterminate value of an
// uninitialised location (rule 1.4).
func (c *candidate) readsNothing() bool {
	for _, r := range c.readers {
		if c.blank(r) {
			return true
		}
	}
	return false
}

func (c *candidate) blank(r int) bool {
	return c.events[c.source[r]].initial() && c.e.locs[c.events[r].loc].uninit
}

// locate notes where the execution goes wrong.
func (c *candidate) locate() {
	res := &c.e.result
	var beside []Clash
	readsAside := false
	for a := range c.events {
		for b := range c.events[:a] {
			if !c.races(b, a) {
				continue
			}
			clash := c.clash(a, b)
			mark(&res.Races, clash)
			if p := c.e.prog; p.Forgives(clash.A.Func, clash.A.PC) || p.Forgives(clash.B.Func, clash.B.PC) {
				readsAside = readsAside || !c.events[a].isWrite() || !c.events[b].isWrite()
			} else {
				beside = append(beside, clash)
			}
		}
	}
	for i := range beside {
		if !readsAside {
			mark(&res.Beside, beside[i])
		}
	}
	for a, b := range c.regionRaces {
		c.markRegion(&res.Races, a, b)
	}
	for _, r := range c.readers {
		if c.blank(r) {
			mark(&res.Blanks, c.clash(r, r))
		}
	}
	for i, p := range c.paths {
		if p.fault {
			mark(&res.Failures, Site{c.e.threads[i].Func, p.end})
		}
	}
}

// mark adds an element to a set.
func mark[T comparable](set *map[T]bool, x T) {
	if *set == nil {
		*set = map[T]bool{}
	}
	(*set)[x] = true
}

func (c *candidate) clash(a, b int) Clash { return c.clashAt(c.events[a].loc, a, b) }

// clashAt is a clash of two events at a location.
func (c *candidate) clashAt(loc, a, b int) Clash {
	p, q := c.site(a), c.site(b)
	if q.Func < p.Func || q.Func == p.Func && q.PC < p.PC {
		p, q = q, p
	}
	return Clash{c.e.locs[loc].name, p, q}
}

func (c *candidate) site(a int) Site {
	v := &c.events[a]
	if v.kind == command {
		return Site{c.e.threads[v.thread].Func, v.cmd.pc}
	}
	return Site{c.e.threads[v.thread].Func, v.pc}
}

// observed returns what the execution shows of the values that threads observe.
func (c *candidate) observed() (values []shown) {
	for i, p := range c.paths {
		made := map[observation]int{}
		for _, o := range p.observed {
			name := c.e.prog.Strings[o.text]
			under := observation{text: o.text, item: o.item}
			if made[under]++; made[under] > 1 {
				name = fmt.Sprintf("%s#%d", name, made[under])
			}
			short, long := c.whose(i, o)
			values = append(values, shown{short + name, long + name, o.value})
		}
	}
	return values
}

// outcome returns what the execution shows at its end.
func (c *candidate) outcome() (values []shown) {
	values = c.observed()
	for _, f := range c.e.prog.Final {
		loc := c.e.sharedCell(f.Addr)
		value := c.e.locs[loc].init
		if order := c.order[loc]; len(order) > 0 {
			value = c.events[order[len(order)-1]].writes
		}
		values = append(values, shown{f.Name, f.Name, value})
	}
	return values
}
