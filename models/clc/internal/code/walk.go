package code

import (
	"maps"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// assigned returns the variables that an expression assigns, with those of the one around it.
func assigned(x tree.Expr, around map[*tree.Var]bool) map[*tree.Var]bool {
	set, own := around, false
	tree.Walk(x, func(n any) {
		v := rootOf(tree.Assigned(n))
		if v == nil || set[v] {
			return
		}
		if !own {
			if set = maps.Clone(around); set == nil {
				set = map[*tree.Var]bool{}
			}
			own = true
		}
		set[v] = true
	})
	return set
}

// rootOf returns the variable that a place is part of, if it is one's.
func rootOf(x tree.Expr) *tree.Var {
	switch x := x.(type) {
	case *tree.VarRef:
		return x.Var
	case *tree.Member:
		return rootOf(x.X)
	case *tree.Swizzle:
		return rootOf(x.X)
	case *tree.Lane:
		return rootOf(x.X)
	}
	return nil
}
