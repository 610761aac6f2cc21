package code

import (
	"slices"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// The life of a variable begins where its block is entered, and not where its declaration is passed (C11 6.2.4): a jump may pass
// over the declaration, and an initialiser may use the variable that it is for. Until then it has no value. So what a jump passes over
// is unwritten from the beginning of its block on, and does not stand for the value of its initialiser.

// lives is which variables of a function have a declaration that a jump passes over, also by the block that declares them.
type lives struct {
	early  map[*tree.Var]bool
	passed map[*tree.BlockStmt][]*tree.Var
}

// hop is a way of control from one statement to another that does not come next.
type hop struct{ from, to int }

// into reports whether a jump leads from elsewhere to what comes after a statement, up to the last one.
func (h hop) into(after, last int) bool {
	within := func(n int) bool { return after < n && n <= last }
	return within(h.to) && !within(h.from)
}

// findLives finds the variables of a function whose declarations jumps pass over.
func (g *gotos) findLives(body *tree.BlockStmt) {
	g.lives = lives{early: map[*tree.Var]bool{}, passed: map[*tree.BlockStmt][]*tree.Var{}}
	var hops []hop
	g.each(body, func(s tree.Stmt) { hops = append(hops, g.hops(s)...) })
	if hops == nil {
		return
	}
	g.each(body, func(s tree.Stmt) {
		b, ok := s.(*tree.BlockStmt)
		if !ok {
			return
		}
		for _, s := range b.List {
			d, ok := s.(*tree.DeclStmt)
			if !ok || d.Var.Storage != tree.Auto || d.Var.Type.Kind == tree.Block {
				continue
			}
			if slices.ContainsFunc(hops, func(h hop) bool { return h.into(g.number[s], g.end[b]) }) {
				g.lives.early[d.Var] = true
				g.lives.passed[b] = append(g.lives.passed[b], d.Var)
			}
		}
	})
}

// hops returns the jumps that a statement makes to labels.
func (g *gotos) hops(s tree.Stmt) (list []hop) {
	switch s := s.(type) {
	case *tree.Goto:
		if n, ok := g.number[s.To]; ok {
			list = append(list, hop{g.number[s], n})
		}
	case *tree.Switch:
		for _, c := range s.Cases {
			list = append(list, hop{g.number[s], g.number[c]})
		}
	}
	return list
}

// each calls f for s and the statements in it.
func (g *gotos) each(s tree.Stmt, f func(tree.Stmt)) {
	f(s)
	for _, c := range children(s) {
		g.each(c, f)
	}
}

// names reports whether an expression uses a variable, other than for its address.
func names(x tree.Expr, v *tree.Var) bool {
	switch x := x.(type) {
	case nil, *tree.AddrOf:
		return false
	case *tree.VarRef:
		return x.Var == v
	}
	return slices.ContainsFunc(tree.Parts(x), func(p tree.Expr) bool { return names(p, v) })
}

// enterBlock makes the variables of a block unwritten whose declarations may be passed over.
func (f *frame) enterBlock(b *tree.BlockStmt) {
	for _, v := range f.gotos.lives.passed[b] {
		f.unset(f.ofVariable(f.declare(v), v.Name))
	}
}

// jumpInto does so for the blocks that the jumps of a statement enter.
func (f *frame) jumpInto(s tree.Stmt) {
	if len(f.gotos.lives.passed) == 0 {
		return
	}
	f.gotos.each(f.fn.Body, func(in tree.Stmt) {
		b, ok := in.(*tree.BlockStmt)
		if ok && slices.ContainsFunc(f.gotos.hops(s), func(h hop) bool { return h.into(f.gotos.number[b], f.gotos.end[b]) }) {
			f.enterBlock(b)
		}
	})
}

// drop notes the calls whose results an expression throws away: these may end without a return (C11 6.9.1).
func (f *frame) drop(x tree.Expr) {
	switch x := x.(type) {
	case *tree.Call, *tree.CallBlock:
		if f.dropped == nil {
			f.dropped = map[tree.Expr]bool{}
		}
		f.dropped[x] = true
	case *tree.Convert:
		if x.Type().Kind == tree.Void {
			f.drop(x.X)
		}
	case *tree.Comma:
		f.drop(x.Y)
	case *tree.StmtExpr:
		f.drop(x.X)
	case *tree.Cond:
		f.drop(x.X)
		f.drop(x.Y)
	}
}
