package clc

import "github.com/clmc/clmc/models/clc/internal/tree"

// Loops that write a place until it holds what they have written: do { a[i] = v; } while (a[i] != v). Who writes so takes it that others write the same place meanwhile, whatever
// says which place it is. A data race there does not hang on a guess.

// retry notes the lines in which such a loop accesses the place.
func (r *guessReader) retry(cond tree.Expr, body tree.Stmt) {
	c, ok := bare(cond).(*tree.Binary)
	if !ok || c.Op != tree.Ne {
		return
	}
	for _, sides := range [][2]tree.Expr{{c.X, c.Y}, {c.Y, c.X}} {
		place, value := bare(sides[0]), bare(sides[1])
		if _, variable := place.(*tree.VarRef); variable {
			continue
		}
		written := false
		tree.Walk(body, func(n any) {
			a, ok := n.(*tree.Assign)
			written = written || ok && samePlace(a.L, place) && samePlace(bare(a.R), value)
		})
		if !written {
			continue
		}
		for _, part := range []any{cond, body} {
			tree.Walk(part, func(n any) {
				if x, ok := n.(tree.Expr); ok && samePlace(x, place) && x.Pos().File == 0 {
					r.retries[int(x.Pos().Line)] = true
				}
			})
		}
	}
}

// samePlace reports whether two expressions have the same form: variables, numbers, and elements of what has the same form.
func samePlace(x, y tree.Expr) bool {
	x, y = bare(x), bare(y)
	switch x := x.(type) {
	case *tree.VarRef:
		y, ok := y.(*tree.VarRef)
		return ok && x.Var == y.Var
	case *tree.Const:
		y, ok := y.(*tree.Const)
		return ok && x.Bits == y.Bits
	case *tree.Index:
		y, ok := y.(*tree.Index)
		return ok && samePlace(x.X, y.X) && samePlace(x.I, y.I)
	case *tree.Decay:
		y, ok := y.(*tree.Decay)
		return ok && samePlace(x.X, y.X)
	case *tree.Deref:
		y, ok := y.(*tree.Deref)
		return ok && samePlace(x.X, y.X)
	case *tree.PtrAdd:
		y, ok := y.(*tree.PtrAdd)
		return ok && x.Sub == y.Sub && samePlace(x.X, y.X) && samePlace(x.I, y.I)
	case *tree.Binary:
		y, ok := y.(*tree.Binary)
		return ok && x.Op == y.Op && samePlace(x.X, y.X) && samePlace(x.Y, y.Y)
	}
	return false
}

// Retries reports whether a line of the kernel file is in a loop that writes a place until it holds what has been written.
func (g *Guess) Retries(line int) bool { return g.retries[line] }
