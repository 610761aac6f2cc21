package axiom

// race returns two actions that form a data race (rules 9.1, 9.2).
func (c *candidate) race() (a, b int, found bool) {
	for a, b := range c.regionRaces {
		return a, b, true
	}
	for a := range c.events {
		for b := a + 1; b < len(c.events); b++ {
			if c.races(a, b) {
				return a, b, true
			}
		}
	}
	return 0, 0, false
}

func (c *candidate) races(a, b int) bool {
	return c.conflict(a, b) && !c.ordered(a, b) && !c.compatible(a, b)
}

// unfenced reports whether a thread reads an image location that it has written,
// with no fence between (rule 6.10).
func (c *candidate) unfenced() bool {
	for _, r := range c.readers {
		if c.region(r) != image {
			continue
		}
		for _, w := range c.writesTo[c.events[r].loc] {
			if c.po.has(w, r) && !c.hb[image].has(w, r) {
				return true
			}
		}
	}
	return false
}

// conflict is rule 5.2, for actions of different units of execution.
func (c *candidate) conflict(a, b int) bool {
	x, y := &c.events[a], &c.events[b]
	return x.access() && y.access() && x.loc == y.loc && x.thread != y.thread && x.kind != restore && y.kind != restore &&
		!x.initial() && !y.initial() && (x.isWrite() || y.isWrite())
}

// ordered reports whether one happens before the other by their location's relation.
func (c *candidate) ordered(a, b int) bool {
	h := c.ordering(a)
	return h.has(a, b) || h.has(b, a)
}

// compatible reports whether both are atomic and have inclusive scope.
func (c *candidate) compatible(a, b int) bool {
	return c.events[a].atomic() && c.events[b].atomic() && c.inclusive(a, b, c.events[a].loc)
}
