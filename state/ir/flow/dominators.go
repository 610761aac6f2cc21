package flow

import "slices"

// Dominators tells which nodes all paths from a start to a node come to.
type Dominators struct {
	// Order has the nodes that can be come to in reverse postorder, the start first.
	Order []int
	at    map[int]int // by node: its place in Order
	above []int       // by place in Order: of the last other one on all paths
}

// Dominators finds the dominators of all nodes that can be come to from a start
// (Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", 2001).
func (g Edges) Dominators(start int) *Dominators {
	d := &Dominators{at: map[int]int{}}
	seen := map[int]bool{start: true}
	before := map[int][]int{}
	var visit func(i int)
	visit = func(i int) {
		g(i, func(to int) {
			before[to] = append(before[to], i)
			if !seen[to] {
				seen[to] = true
				visit(to)
			}
		})
		d.Order = append(d.Order, i)
	}
	visit(start)
	slices.Reverse(d.Order)
	for at, i := range d.Order {
		d.at[i] = at
	}
	d.above = make([]int, len(d.Order))
	for at := range d.above {
		d.above[at] = -1
	}
	d.above[0] = 0
	for changed := true; changed; {
		changed = false
		for at := 1; at < len(d.Order); at++ {
			if above := d.common(before[d.Order[at]]); above != d.above[at] {
				d.above[at], changed = above, true
			}
		}
	}
	return d
}

// common returns the place of the last node on all paths to any of some nodes, as
// far as is known.
func (d *Dominators) common(nodes []int) int {
	above := -1
	for _, p := range nodes {
		switch q := d.at[p]; {
		case d.above[q] < 0:
		case above < 0:
			above = q
		default:
			above = d.meet(above, q)
		}
	}
	return above
}

func (d *Dominators) meet(p, q int) int {
	for p != q {
		for p > q {
			p = d.above[p]
		}
		for q > p {
			q = d.above[q]
		}
	}
	return p
}

// Above calls visit with the nodes on all paths to node i, from i itself to the start.
func (d *Dominators) Above(i int, visit func(int)) {
	for at := d.at[i]; ; at = d.above[at] {
		visit(d.Order[at])
		if at == 0 {
			return
		}
	}
}

// Dominates reports whether every path to node b, which can be come to, passes a.
func (d *Dominators) Dominates(a, b int) bool {
	up, ok := d.at[a]
	if !ok {
		return false
	}
	at := d.at[b]
	for at > up {
		at = d.above[at]
	}
	return at == up
}
