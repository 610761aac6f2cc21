package flow

// Edges calls visit with the nodes that edges of node i lead to. A node may be
// named several times.
type Edges func(i int, visit func(to int))

// Of returns the edges of a graph that lists the nodes after each node.
func Of[T ~int | ~int32](after func(i int) []T) Edges {
	return func(i int, visit func(to int)) {
		for _, to := range after(i) {
			visit(int(to))
		}
	}
}

// Reach tells, of n nodes, to which some path leads from a node, by one edge at
// least. Paths end at nodes where stop says so; nil never does.
func (g Edges) Reach(n, from int, stop func(i int) bool) []bool {
	reached := make([]bool, n)
	var work []int
	visit := func(to int) {
		if !reached[to] {
			reached[to] = true
			if stop == nil || !stop(to) {
				work = append(work, to)
			}
		}
	}
	g(from, visit)
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		g(i, visit)
	}
	return reached
}

// Reverse returns the edges of a graph of n nodes turned round.
func (g Edges) Reverse(n int) Edges {
	before := make([][]int, n)
	for i := range n {
		g(i, func(to int) { before[to] = append(before[to], i) })
	}
	return Of(func(i int) []int { return before[i] })
}

// Components numbers the strongly connected components of a graph of n nodes (Tarjan,
// "Depth-first search and linear graph algorithms", 1972); edges lead to the same or a
// lower number.
func (g Edges) Components(n int) []int {
	comp, low, at := make([]int, n), make([]int, n), make([]int, n)
	var stack []int
	next, found := 0, 0
	var visit func(i int)
	visit = func(i int) {
		next++
		at[i], low[i], comp[i] = next, next, -1
		stack = append(stack, i)
		g(i, func(to int) {
			if at[to] == 0 {
				visit(to)
			}
			if comp[to] < 0 {
				low[i] = min(low[i], low[to])
			}
		})
		if low[i] < at[i] {
			return
		}
		for last := -1; last != i; {
			last = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			comp[last] = found
		}
		found++
	}
	for i := range n {
		if at[i] == 0 {
			visit(i)
		}
	}
	return comp
}

// ComesBack tells which of n nodes some path leads back to from themselves.
func (g Edges) ComesBack(n int) []bool {
	comp, back := g.Components(n), make([]bool, n)
	for i := range n {
		g(i, func(to int) { back[i] = back[i] || comp[to] == comp[i] })
	}
	return back
}
