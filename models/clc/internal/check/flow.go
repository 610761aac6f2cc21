package check

import "github.com/clmc/clmc/models/clc/internal/tree"

// A flow is the graph of a function's control flow, as coarse as it can be and still show loops
// that have two entries: goto into a loop, case in a loop of a switch around it.
type flow struct {
	next   [][]int
	pos    []tree.Pos
	labels map[*tree.Label]int
	cases  map[*tree.Case]int
	breaks []int
	rounds []int // where continue goes
}

// reducible reports a loop that can be entered at two places.
func (c *checker) reducible(f *tree.Func) {
	g := &flow{labels: map[*tree.Label]int{}, cases: map[*tree.Case]int{}}
	g.stmt(f.Body, g.node(f.Pos))
	if at, ok := g.twoEntries(); ok {
		c.errorf(at, "Write the loop with while or for, and enter it at its beginning.", "a goto jumps into a loop")
	}
}

func (g *flow) node(p tree.Pos) int {
	g.next = append(g.next, nil)
	g.pos = append(g.pos, p)
	return len(g.next) - 1
}

func (g *flow) edge(from, to int) { g.next[from] = append(g.next[from], to) }

// after makes a node that comes after one.
func (g *flow) after(from int, p tree.Pos) int {
	n := g.node(p)
	g.edge(from, n)
	return n
}

func (g *flow) label(l *tree.Label) int {
	if _, ok := g.labels[l]; !ok {
		g.labels[l] = g.node(l.P)
	}
	return g.labels[l]
}

// stmt adds a statement that begins at a node, and returns the node at its end. After a jump that
// is a new one, to which nothing leads.
func (g *flow) stmt(s tree.Stmt, at int) int {
	switch s := s.(type) {
	case *tree.BlockStmt:
		for _, t := range s.List {
			at = g.stmt(t, at)
		}
	case *tree.If:
		end := g.node(s.P)
		g.edge(g.stmt(s.Then, g.after(at, s.P)), end)
		if s.Else != nil {
			g.edge(g.stmt(s.Else, g.after(at, s.P)), end)
		} else {
			g.edge(at, end)
		}
		return end
	case *tree.While:
		return g.loop(s.Body, at, s.P, false)
	case *tree.DoWhile:
		return g.loop(s.Body, at, s.P, true)
	case *tree.For:
		return g.loop(s.Body, at, s.P, false)
	case *tree.Switch:
		return g.choice(s, at)
	case *tree.Case:
		g.edge(at, g.cases[s])
		return g.cases[s]
	case *tree.Label:
		g.edge(at, g.label(s))
		return g.label(s)
	case *tree.Goto:
		g.edge(at, g.label(s.To))
		return g.node(s.P)
	case *tree.Break:
		g.edge(at, g.breaks[len(g.breaks)-1])
		return g.node(s.P)
	case *tree.Continue:
		g.edge(at, g.rounds[len(g.rounds)-1])
		return g.node(s.P)
	case *tree.Return:
		return g.node(s.P)
	}
	return at
}

// loop adds a loop, whose condition is at its end or at its beginning.
func (g *flow) loop(body tree.Stmt, at int, p tree.Pos, atEnd bool) int {
	head, cond, end := g.after(at, p), g.node(p), g.node(p)
	g.breaks, g.rounds = append(g.breaks, end), append(g.rounds, cond)
	g.edge(g.stmt(body, g.after(head, p)), cond)
	g.edge(cond, head)
	if atEnd {
		g.edge(cond, end)
	} else {
		g.edge(head, end)
	}
	g.breaks, g.rounds = g.breaks[:len(g.breaks)-1], g.rounds[:len(g.rounds)-1]
	return end
}

func (g *flow) choice(s *tree.Switch, at int) int {
	end := g.node(s.P)
	g.edge(at, end)
	for _, k := range s.Cases {
		g.cases[k] = g.after(at, k.P)
	}
	g.breaks = append(g.breaks, end)
	g.edge(g.stmt(s.Body, g.node(s.P)), end)
	g.breaks = g.breaks[:len(g.breaks)-1]
	return end
}

// twoEntries finds a loop whose beginning does not come before all of it: an edge back to a node
// that does not dominate where the edge comes from.
func (g *flow) twoEntries() (tree.Pos, bool) {
	order, back := g.depthFirst()
	index := make([]int, len(g.next))
	for i, n := range order {
		index[n] = i
	}
	before := make([][]int, len(g.next))
	for _, n := range order {
		for _, m := range g.next[n] {
			before[m] = append(before[m], n)
		}
	}
	dom := make([]int, len(g.next)) // immediate dominators
	for i := range dom {
		dom[i] = -1
	}
	dom[0] = 0
	for changed := true; changed; {
		changed = false
		for _, n := range order[1:] {
			best := -1
			for _, m := range before[n] {
				if dom[m] < 0 {
					continue
				}
				if best < 0 {
					best = m
				}
				for a := m; a != best; {
					if index[a] > index[best] {
						a = dom[a]
					} else {
						best = dom[best]
					}
				}
			}
			if dom[n] != best {
				dom[n], changed = best, true
			}
		}
	}
	for _, e := range back {
		n := e[0]
		for n != e[1] && n != 0 {
			n = dom[n]
		}
		if n != e[1] {
			return g.pos[e[1]], true
		}
	}
	return tree.Pos{}, false
}

// depthFirst returns the nodes that can be reached, in reverse postorder, and the edges that lead
// back to a node on the way to where they come from.
func (g *flow) depthFirst() (order []int, back [][2]int) {
	const (
		untouched = iota
		onWay
		done
	)
	state := make([]int, len(g.next))
	type frame struct{ node, child int }
	way := []frame{{0, 0}}
	state[0] = onWay
	for len(way) > 0 {
		top := &way[len(way)-1]
		if top.child == len(g.next[top.node]) {
			state[top.node] = done
			order = append(order, top.node)
			way = way[:len(way)-1]
			continue
		}
		n := g.next[top.node][top.child]
		top.child++
		switch state[n] {
		case onWay:
			back = append(back, [2]int{top.node, n})
		case untouched:
			state[n] = onWay
			way = append(way, frame{n, 0})
		}
	}
	for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	return order, back
}
