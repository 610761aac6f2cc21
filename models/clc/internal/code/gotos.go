package code

import (
	"slices"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/lower"
)

// gotos knows where the statements of a function are, by numbers in the order of the text, and
// which loops goto statements make.
type gotos struct {
	number map[tree.Stmt]int
	end    map[tree.Stmt]int // number of the last statement within
	labels map[*tree.Label]*lower.Block
	cases  map[*tree.Case]*lower.Block
	loops  []gotoLoop
	of     map[*tree.Goto]int // which loop a goto begins a round of
	given  map[int]int32      // the loops' numbers in the function
	done   map[*tree.Label]bool
	lives  lives
}

// gotoLoop is a loop from a label to the end of the statement that has the last goto back.
type gotoLoop struct{ from, to int }

// findGotos numbers the statements of a function.
func findGotos(body *tree.BlockStmt) *gotos {
	g := &gotos{number: map[tree.Stmt]int{}, end: map[tree.Stmt]int{}, labels: map[*tree.Label]*lower.Block{},
		cases: map[*tree.Case]*lower.Block{}, of: map[*tree.Goto]int{}, given: map[int]int32{}, done: map[*tree.Label]bool{}}
	n := 0
	var count func(s tree.Stmt)
	count = func(s tree.Stmt) {
		g.number[s] = n
		n++
		for _, c := range children(s) {
			count(c)
		}
		g.end[s] = n - 1
	}
	count(body)
	g.findLoops(body)
	g.findLives(body)
	return g
}

// children returns the statements that are part of s, in the order of the text.
func children(s tree.Stmt) []tree.Stmt {
	switch s := s.(type) {
	case *tree.BlockStmt:
		return s.List
	case *tree.If:
		if s.Else != nil {
			return []tree.Stmt{s.Then, s.Else}
		}
		return []tree.Stmt{s.Then}
	case *tree.While:
		return []tree.Stmt{s.Body}
	case *tree.DoWhile:
		return []tree.Stmt{s.Body}
	case *tree.For:
		return append(slices.Clone(s.Init), s.Body)
	case *tree.Switch:
		return []tree.Stmt{s.Body}
	}
	return nil
}

// findLoops finds the loops whose labels stand in s. Of two that overlap, the one that begins first
// becomes the outer one.
func (g *gotos) findLoops(s tree.Stmt) {
	list := children(s)
	first := len(g.loops)
	for i, c := range list {
		label := labelOf(c)
		if label == nil || g.done[label] {
			continue
		}
		g.done[label] = true
		l := gotoLoop{from: g.number[label], to: -1}
		for _, later := range list[i:] {
			for _, back := range gotosTo(label, later) {
				g.of[back] = len(g.loops)
				l.to = g.end[later]
			}
		}
		if l.to >= 0 {
			g.loops = append(g.loops, l)
		}
	}
	found := g.loops[first:]
	for i := len(found) - 1; i >= 0; i-- {
		for _, inner := range found[i+1:] {
			if inner.from < found[i].to {
				found[i].to = max(found[i].to, inner.to)
			}
		}
	}
	for _, c := range list {
		g.findLoops(c)
	}
}

// labelOf returns the label that s is, or begins with, or nil.
func labelOf(s tree.Stmt) *tree.Label {
	switch s := s.(type) {
	case *tree.Label:
		return s
	case *tree.BlockStmt:
		if len(s.List) > 0 {
			return labelOf(s.List[0])
		}
	}
	return nil
}

// gotosTo returns the goto statements in s that lead to a label.
func gotosTo(label *tree.Label, s tree.Stmt) (list []*tree.Goto) {
	if g, ok := s.(*tree.Goto); ok && g.To == label {
		list = append(list, g)
	}
	for _, c := range children(s) {
		list = append(list, gotosTo(label, c)...)
	}
	return list
}

// back returns the loop that a goto begins a round of.
func (g *gotos) back(s *tree.Goto) (int, bool) {
	n, ok := g.of[s]
	return n, ok
}

func (g *gotos) labelBlock(l *tree.Label) *lower.Block {
	if g.labels[l] == nil {
		g.labels[l] = lower.NewBlock()
	}
	return g.labels[l]
}

func (g *gotos) caseBlock(c *tree.Case) *lower.Block {
	if g.cases[c] == nil {
		g.cases[c] = lower.NewBlock()
	}
	return g.cases[c]
}

// gotoLoop returns the number, in the function, of a loop that goto makes.
func (f *frame) gotoLoop(i int) int32 {
	n, ok := f.gotos.given[i]
	if !ok {
		n = f.NewLoop()
		f.gotos.given[i] = n
	}
	return n
}

// around returns the numbers of the loops around the statement that is being lowered, outermost
// first, after those around the call of the function.
func (f *frame) around() []int32 {
	in := slices.Clone(f.loops)
	for i, l := range f.gotos.loops {
		if l.from <= f.at && f.at <= l.to {
			in = append(in, loop{f.gotoLoop(i), l.from})
		}
	}
	slices.SortStableFunc(in, func(a, b loop) int { return a.from - b.from })
	list := slices.Clone(f.outer)
	for _, l := range in {
		list = append(list, l.number)
	}
	return list
}

// numberOf returns the number of a statement; one within an expression has that of the statement
// around it.
func (f *frame) numberOf(s tree.Stmt) int {
	if n, ok := f.gotos.number[s]; ok {
		return n
	}
	return f.at
}
