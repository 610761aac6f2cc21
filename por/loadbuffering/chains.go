package loadbuffering

import (
	"slices"

	"github.com/clmc/clmc/state/ir/flow"
)

const unbounded = 1 << 30

// raise raises the bounds of cells to the number of changing writes that all threads together perform, as far as
// is known. It reports whether that makes more to walk.
func (a *threadModular) raise() (raised bool) {
	raised = a.count()
	sum := make([]int, len(a.cells))
	for _, t := range a.threads {
		for c, n := range t.longest() {
			if !t.once {
				n = unbounded
			}
			sum[c] = min(sum[c]+n, unbounded)
		}
	}
	for c, n := range sum {
		if cell := a.cells[c]; n > cell.bound {
			cell.bound = n
			cell.version++
			raised = true
		}
	}
	return raised
}

// prune removes the outcomes that would need more writes in a row than all threads together perform, and
// everything that only they lead to. It is for the end of the analysis: until then the paths that they are on tell
// how many writes there may be.
func (a *threadModular) prune() {
	for _, t := range a.threads {
		for _, n := range t.nodes {
			n.outcomes = slices.DeleteFunc(n.outcomes, func(e outcome) bool { return n.cell >= 0 && e.changes() && a.rowAfter(n, &e) > a.cells[n.cell].bound })
		}
		if len(t.nodes) == 0 {
			continue
		}
		come := t.flow().Reach(len(t.nodes), 0, nil)
		for i, n := range t.nodes[1:] {
			if !come[i+1] {
				n.outcomes = nil
			}
		}
	}
}

// rowAfter returns the least number of changing writes to a node's cell that the thread can know of after an
// outcome.
func (a *threadModular) rowAfter(n *node, e *outcome) int {
	row := n.rowOf(n.cell)
	if e.reads && !e.uninitialised {
		row = max(row, a.cells[n.cell].values[e.read].row)
	}
	if e.changes() {
		row++
	}
	return row
}

// count finds the threads that may exist several times because their kernel is launched several times. It reports
// whether there are new ones.
func (a *threadModular) count() (found bool) {
	times := make([]int, len(a.launches)+1)
	for _, l := range a.launched {
		comp := l.thread.components()
		times[l.launch]++
		for _, e := range l.thread.nodes[l.node].outcomes {
			if e.to != nowhere && comp[e.to] == comp[l.node] {
				times[l.launch]++
			}
		}
	}
	for _, t := range a.threads {
		once := times[t.launch] < 2
		found = found || t.once && !once
		t.once = once
	}
	for _, t := range a.threads {
		for _, n := range t.nodes {
			n.stale = n.stale || found // what it may read has become more
		}
	}
	return found
}

// longest returns, by cell, the largest number of changing writes that the thread performs.
func (t *thread) longest() map[int]int {
	comp, order := t.ordered()
	longest := map[int]int{}
	for cell := range t.changed() {
		from := make([]int, len(t.nodes)) // by component
		for _, i := range order {
			n := t.nodes[i]
			for k := range n.outcomes {
				e, steps := &n.outcomes[k], 0
				if n.cell == cell && e.changes() {
					steps = 1
				}
				if e.to != nowhere {
					if steps > 0 && comp[e.to] == comp[i] {
						steps = unbounded
					}
					steps = min(steps+from[comp[e.to]], unbounded)
				}
				from[comp[i]] = max(from[comp[i]], steps)
			}
		}
		longest[cell] = slices.Max(from)
	}
	return longest
}

// changed returns the cells that a thread changes.
func (t *thread) changed() map[int]bool {
	cells := map[int]bool{}
	for _, n := range t.nodes {
		for k := range n.outcomes {
			if n.outcomes[k].changes() {
				cells[n.cell] = true
			}
		}
	}
	return cells
}

// ordered returns the components of a thread's nodes, and the nodes in an order in which outcomes lead backward,
// except within a component.
func (t *thread) ordered() (comp []int, order []int) {
	comp, order = t.components(), make([]int, len(t.nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(p, q int) int { return comp[p] - comp[q] })
	return comp, order
}

// components numbers the strongly connected components of a thread's nodes.
func (t *thread) components() []int { return t.flow().Components(len(t.nodes)) }

// flow returns the edges between a thread's nodes, one for each outcome.
func (t *thread) flow() flow.Edges {
	return func(i int, visit func(int)) {
		for k := range t.nodes[i].outcomes {
			if e := &t.nodes[i].outcomes[k]; e.to != nowhere {
				visit(int(e.to))
			}
		}
	}
}
