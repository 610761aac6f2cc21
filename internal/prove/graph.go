package prove

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/state/ir/flow"
)

// graph is the blocks of a function, and its loops.
type graph struct {
	blocks []block
	order  []int // reverse postorder
	at     []int // by block: its place in order; -1 if nothing leads there
	dom    *flow.Dominators
	in     []*loop // by block: the innermost loop that it is in, or nil
	bad    int     // a pc in a loop with several entries, or -1
}

// block is the instructions from..to-1.
type block struct {
	from, to int
	succ     []int
}

// loop is the blocks from which its header can be come to without leaving it.
type loop struct {
	header int
	has    []bool // by block
	outer  *loop
}

func newGraph(f *ir.Func) *graph {
	g := &graph{bad: -1}
	starts := map[int]bool{0: true}
	for pc := range f.Code {
		switch in := &f.Code[pc]; in.Op {
		case ir.OpJump:
			starts[int(in.Target)], starts[pc+1] = true, true
		case ir.OpBranch:
			starts[int(in.Target)], starts[int(in.Else)], starts[pc+1] = true, true, true
		case ir.OpEnd:
			starts[pc+1] = true
		}
	}
	number := make([]int, len(f.Code)+1)
	for pc := range f.Code {
		if starts[pc] {
			g.blocks = append(g.blocks, block{from: pc})
		}
		number[pc] = len(g.blocks) - 1
		g.blocks[len(g.blocks)-1].to = pc + 1
	}
	for i := range g.blocks {
		b := &g.blocks[i]
		switch in := &f.Code[b.to-1]; in.Op {
		case ir.OpJump:
			b.succ = []int{number[in.Target]}
		case ir.OpBranch:
			b.succ = []int{number[in.Target], number[in.Else]}
		case ir.OpEnd:
		default:
			if b.to < len(f.Code) {
				b.succ = []int{number[b.to]}
			}
		}
	}
	g.findLoops()
	return g
}

func (g *graph) findLoops() {
	n := len(g.blocks)
	g.dom = flow.Of(func(i int) []int { return g.blocks[i].succ }).Dominators(0)
	g.order = g.dom.Order
	g.at = make([]int, n)
	for i := range g.at {
		g.at[i] = -1
	}
	for at, b := range g.order {
		g.at[b] = at
	}
	loops := map[int]*loop{}
	var headers []int
	for _, b := range g.order {
		for _, s := range g.blocks[b].succ {
			if g.at[s] > g.at[b] {
				continue
			}
			if !g.dom.Dominates(s, b) {
				g.bad = g.blocks[s].from
				return
			}
			if loops[s] == nil {
				loops[s] = &loop{header: s, has: make([]bool, n)}
				loops[s].has[s] = true
				headers = append(headers, s)
			}
			g.fill(loops[s], b)
		}
	}
	g.in = make([]*loop, n)
	slices.SortFunc(headers, func(a, b int) int { return g.at[a] - g.at[b] }) // outer loops first
	for _, h := range headers {
		l := loops[h]
		l.outer = g.in[h]
		for b := range l.has {
			if l.has[b] {
				g.in[b] = l
			}
		}
	}
}

// fill adds the blocks that lead to one without passing the header.
func (g *graph) fill(l *loop, b int) {
	work := []int{b}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if l.has[b] {
			continue
		}
		l.has[b] = true
		for i := range g.blocks {
			if g.at[i] >= 0 && slices.Contains(g.blocks[i].succ, b) {
				work = append(work, i)
			}
		}
	}
}

// area is the blocks of a loop, or of all code, without those of the loops in it, for each of which its header stands.
type area struct {
	g     *graph
	l     *loop
	nodes []int // in an order in which nothing leads back
	post  *flow.Dominators
}

// where says what an edge to a block is, in an area.
type where uint8

const (
	inside where = iota
	back
	outside
)

// node returns the block that stands for one in the area, and where it is.
func (a *area) node(b int) (int, where) {
	if a.l != nil && !a.l.has[b] {
		return b, outside
	}
	l := a.g.in[b]
	if l == a.l {
		return b, inside
	}
	for l.outer != a.l {
		l = l.outer
	}
	return l.header, inside
}

// leaves returns where edges lead from what a node stands for.
func (a *area) leaves(node int) (to []int) {
	l := a.g.in[node]
	if l == a.l {
		return a.g.blocks[node].succ
	}
	for l.outer != a.l {
		l = l.outer
	}
	for b := range l.has {
		if l.has[b] {
			for _, s := range a.g.blocks[b].succ {
				if !l.has[s] {
					to = append(to, s)
				}
			}
		}
	}
	return to
}

func (g *graph) area(l *loop) *area {
	a := &area{g: g, l: l}
	for _, b := range g.order {
		if n, at := a.node(b); at == inside && n == b {
			a.nodes = append(a.nodes, b)
		}
	}
	end := len(g.blocks)
	forward := flow.Edges(func(i int, visit func(int)) {
		if i == end || !slices.Contains(a.nodes, i) {
			return
		}
		out := a.leaves(i)
		if len(out) == 0 {
			visit(end)
		}
		for _, s := range out {
			if n, at := a.node(s); at == inside && !(l != nil && s == l.header) {
				visit(n)
			} else {
				visit(end)
			}
		}
	})
	a.post = forward.Reverse(end + 1).Dominators(end)
	return a
}

// isBack reports whether an edge to a block is one back to the header of the area's loop.
func (a *area) isBack(to int) bool { return a.l != nil && to == a.l.header }

// joins returns the node from which every way comes to a node, and only to it: the branch that it ends.
func (a *area) joins(node int) (branch int, ok bool) {
	found := -1
	a.g.dom.Above(node, func(d int) {
		if found >= 0 || d == node {
			return
		}
		if n, at := a.node(d); at == inside && n != node {
			found = n
		}
	})
	return found, found >= 0 && a.post.Dominates(node, found)
}
