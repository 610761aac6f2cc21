package axiom

import "slices"

// chooseSources tries each write of the right value as the source of each read.
func (c *candidate) chooseSources() error {
	n := len(c.events)
	c.source = slices.Repeat([]int{-1}, n)
	var assign func(k int) error
	assign = func(k int) error {
		if k == len(c.readers) {
			if causal := c.causal(); !c.e.opt.LoadBuffering && c.e.why == nil && !causal || c.e.opt.Independent && !c.independent() {
				return nil
			}
			return c.chooseOrders()
		}
		r := c.readers[k]
		for _, w := range c.writesTo[c.events[r].loc] {
			if !c.maySource(w, r) {
				continue
			}
			c.source[r] = w
			if err := assign(k + 1); err != nil {
				return err
			}
			c.source[r] = -1
		}
		return nil
	}
	return assign(0)
}

// maySource reports whether read r may take its value from w, so far.
func (c *candidate) maySource(w, r int) bool {
	a, b := &c.events[w], &c.events[r]
	if w == r || a.writes != b.reads {
		return false
	}
	if c.e.loose() && b.kind != restore {
		return true
	}
	if c.po.has(r, w) || c.hidden(w, r) {
		return false
	}
	if b.kind != update {
		return true
	}
	for _, u := range c.readers { // rule 7.7: no two may follow one write immediately
		if u != r && c.events[u].kind == update && c.source[u] == w {
			return false
		}
	}
	return true
}

// hidden reports whether write w surely happens after r, or before another write
// that happens before r (rules 7.1, 7.2), or r restores it though nothing else can
// have been written since (rule 2.7).
func (c *candidate) hidden(w, r int) bool {
	h := c.sure[c.memory(r)]
	if h.has(r, w) {
		return true
	}
	idle := c.events[r].kind == restore // without anything to undo
	for _, v := range c.writesTo[c.events[r].loc] {
		if h.has(w, v) && h.has(v, r) {
			return true
		}
		idle = idle && (v == r || v == w || h.has(v, r) || h.has(r, v) || h.has(v, w))
	}
	return idle
}

// causal reports whether program order, reads-from, barriers and commands have no cycle:
// whether some interleaving executes every source before its reads. That no
// event after a barrier is read before it is our reading of rule 11.4.
func (c *candidate) causal() bool {
	g := append(relation(nil), c.po...)
	g.include(c.join)
	g.include(c.cmds.order)
	g.include(c.cmds.fine)
	g.include(c.turn)
	c.told(g)
	for _, r := range c.readers {
		g.add(c.source[r], r)
	}
	g.close()
	c.causes = g
	return g.irreflexive()
}

// chooseOrders tries each modification order of each location (rule 5.3).
func (c *candidate) chooseOrders() error {
	c.order = make([][]int, len(c.writesTo))
	var choices [][][]int
	var locs []int
	for l, writes := range c.writesTo {
		if len(writes) > 0 {
			locs = append(locs, l)
			choices = append(choices, c.orders(writes))
		}
	}
	var assign func(k int) error
	assign = func(k int) error {
		if k == len(locs) {
			return c.judge()
		}
		for _, o := range choices[k] {
			c.order[locs[k]] = o
			if err := assign(k + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return assign(0)
}

// orders lists the total orders of the writes to one location that begin with
// the initial write, respect what surely happens before (rule 7.3) and put each
// read-modify-write right after its source (rule 7.7).
func (c *candidate) orders(writes []int) [][]int {
	var out [][]int
	order := writes[:1:1]
	before := c.sure[c.memory(writes[0])]
	var place func(left set)
	place = func(left set) {
		if left == 0 {
			out = append(out, slices.Clone(order))
			return
		}
		last := order[len(order)-1]
		for w := range left.all() {
			isUpdate := c.events[w].kind == update
			if !c.e.loose() && (isUpdate && c.source[w] != last || !isUpdate && c.readByUpdate(last, left) || before.overlaps(left, w)) {
				continue
			}
			order = append(order, w)
			place(left &^ (1 << w))
			order = order[:len(order)-1]
		}
	}
	var left set
	for _, w := range writes[1:] {
		left.add(w)
	}
	place(left)
	return out
}

// loose reports whether what the code tells of happens-before, and rule 7.7, are asked of whole candidates only.
func (e *enumerator) loose() bool { return e.why != nil && e.why.loose }

// readByUpdate reports whether a read-modify-write in left reads from w.
func (c *candidate) readByUpdate(w int, left set) bool {
	for u := range left.all() {
		if c.events[u].kind == update && c.source[u] == w {
			return true
		}
	}
	return false
}

// overlaps reports whether some event of s is related to b.
func (r relation) overlaps(s set, b int) bool {
	for a := range s.all() {
		if r.has(a, b) {
			return true
		}
	}
	return false
}
