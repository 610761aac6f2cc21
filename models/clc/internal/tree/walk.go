package tree

// Walk calls f for a statement or an expression and all that is in it, each before its parts. It does not go
// into the functions of block literals.
func Walk(n any, f func(n any)) {
	switch x := n.(type) {
	case nil:
		return
	case *BlockStmt:
		if x == nil {
			return
		}
	}
	f(n)
	each(n, func(part any) { Walk(part, f) })
}

// each calls f for the direct parts of a statement or an expression.
func each(n any, f func(any)) {
	some := func(list ...any) {
		for _, p := range list {
			if p != nil {
				f(p)
			}
		}
	}
	exprs := func(list []Expr) {
		for _, x := range list {
			if x != nil {
				f(x)
			}
		}
	}
	stmts := func(list []Stmt) {
		for _, s := range list {
			if s != nil {
				f(s)
			}
		}
	}
	opt := func(x Expr) {
		if x != nil {
			f(x)
		}
	}
	switch n := n.(type) {
	case *BlockStmt:
		stmts(n.List)
	case *DeclStmt:
		if n.Var.Storage == Auto {
			opt(n.Var.Init)
		}
	case *ExprStmt:
		f(n.X)
	case *If:
		some(n.Cond, n.Then)
		if n.Else != nil {
			f(n.Else)
		}
	case *While:
		some(n.Cond, n.Body)
	case *DoWhile:
		some(n.Body, n.Cond)
	case *For:
		stmts(n.Init)
		opt(n.Cond)
		opt(n.Post)
		some(n.Body)
	case *Switch:
		some(n.X, n.Body)
	case *Return:
		opt(n.X)
	case *Deref:
		f(n.X)
	case *Index:
		some(n.X, n.I)
	case *Member:
		f(n.X)
	case *Swizzle:
		f(n.X)
	case *Lane:
		some(n.X, n.I)
	case *CompoundLit:
		f(n.Init)
	case *Load:
		f(n.X)
	case *Decay:
		f(n.X)
	case *AddrOf:
		f(n.X)
	case *Convert:
		f(n.X)
	case *Splat:
		f(n.X)
	case *VectorLit:
		exprs(n.Elems)
	case *InitList:
		exprs(n.Elems)
	case *Unary:
		f(n.X)
	case *Binary:
		some(n.X, n.Y)
	case *PtrAdd:
		some(n.X, n.I)
	case *PtrDiff:
		some(n.X, n.Y)
	case *Logic:
		some(n.X, n.Y)
	case *Cond:
		some(n.C, n.X, n.Y)
	case *Select:
		some(n.C, n.X, n.Y)
	case *Comma:
		some(n.X, n.Y)
	case *Assign:
		some(n.L, n.R)
	case *AssignOp:
		some(n.L, n.R)
	case *IncDec:
		f(n.L)
	case *Call:
		exprs(n.Args)
	case *CallBlock:
		f(n.X)
		exprs(n.Args)
	case *BuiltinCall:
		exprs(n.Args)
	case *StmtExpr:
		f(n.Body)
		opt(n.X)
	}
}

// Parts returns the direct operands of an expression, in the order of their evaluation.
func Parts(x Expr) (list []Expr) {
	each(x, func(p any) {
		if e, ok := p.(Expr); ok {
			list = append(list, e)
		}
	})
	return list
}

// Assigned returns the place that a node itself assigns to, or nil if it assigns to none.
func Assigned(n any) Lvalue {
	switch n := n.(type) {
	case *Assign:
		return n.L
	case *AssignOp:
		return n.L
	case *IncDec:
		return n.L
	}
	return nil
}
