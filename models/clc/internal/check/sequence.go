package check

import "github.com/clmc/clmc/models/clc/internal/tree"

// sequenced warns about an expression in which two side effects on one variable, or one and a read,
// have no order: we evaluate from left to right, and a compiler as it likes.
func (c *checker) sequenced(x tree.Expr) tree.Expr {
	if assigns(x) {
		s := &sequencer{c: c}
		s.effects(x)
	}
	return x
}

// assigns reports whether an expression assigns something inside.
func assigns(x tree.Expr) (found bool) {
	tree.Walk(x, func(n any) {
		switch n.(type) {
		case *tree.Assign, *tree.AssignOp, *tree.IncDec:
			found = true
		}
	})
	return found
}

// hasEffect reports whether it matters how often an expression is evaluated.
func hasEffect(x tree.Expr) (found bool) {
	tree.Walk(x, func(n any) {
		switch n.(type) {
		case *tree.Assign, *tree.AssignOp, *tree.IncDec, *tree.Call, *tree.CallBlock, *tree.BuiltinCall, *tree.StmtExpr:
			found = true
		}
	})
	return found
}

// accesses are the variables that an expression reads, and those that it writes without an order to
// what surrounds it.
type accesses struct {
	reads, writes map[*tree.Var]tree.Pos
}

func (a *accesses) add(b accesses) {
	for v, p := range b.reads {
		a.read(v, p)
	}
	for v, p := range b.writes {
		a.write(v, p)
	}
}

func (a *accesses) read(v *tree.Var, p tree.Pos) {
	if a.reads == nil {
		a.reads = map[*tree.Var]tree.Pos{}
	}
	a.reads[v] = p
}

func (a *accesses) write(v *tree.Var, p tree.Pos) {
	if a.writes == nil {
		a.writes = map[*tree.Var]tree.Pos{}
	}
	a.writes[v] = p
}

// sequencer looks at one full expression.
type sequencer struct {
	c    *checker
	told map[*tree.Var]bool
}

// effects returns what an expression does to variables.
func (s *sequencer) effects(x tree.Expr) (a accesses) {
	switch x := x.(type) {
	case nil:
	case *tree.Load:
		if v, ok := x.X.(*tree.VarRef); ok {
			a.read(v.Var, x.P)
			return a
		}
		a = s.place(x.X)
		if v := memberOf(x.X); v != nil {
			a.read(v, x.P)
		}
	case *tree.Assign:
		a = s.unordered(s.place(x.L), s.effects(x.R))
		// The write comes after the reads of both sides.
		s.assigned(&a, x.L, x.P)
	case *tree.AssignOp:
		a = s.unordered(s.place(x.L), s.effects(x.R))
		s.assigned(&a, x.L, x.P)
	case *tree.IncDec:
		a = s.place(x.L)
		s.assigned(&a, x.L, x.P)
	case *tree.Logic:
		a = s.ordered(x.X, x.Y)
	case *tree.Comma:
		a = s.ordered(x.X, x.Y)
	case *tree.Cond:
		a = s.effects(x.C)
		a.add(s.effects(x.X))
		a.add(s.effects(x.Y))
	case *tree.StmtExpr, *tree.BlockLit:
	case *tree.InitList:
		for _, e := range x.Elems { // a list is ordered
			if e != nil {
				a.add(s.effects(e))
			}
		}
	default:
		for _, p := range tree.Parts(x) {
			a = s.unordered(a, s.effects(p))
		}
	}
	return a
}

// place returns what the evaluation of a place does.
func (s *sequencer) place(x tree.Expr) (a accesses) {
	switch x.(type) {
	case *tree.VarRef:
		return a
	}
	for _, p := range tree.Parts(x) {
		if tree.IsLvalue(p) {
			a = s.unordered(a, s.place(p))
		} else {
			a = s.unordered(a, s.effects(p))
		}
	}
	return a
}

func (s *sequencer) ordered(x, y tree.Expr) accesses {
	a := s.effects(x)
	a.add(s.effects(y))
	return a
}

// assigned adds the write of an assignment, which nothing in it but another write precedes
// without an order.
func (s *sequencer) assigned(a *accesses, l tree.Lvalue, pos tree.Pos) {
	v := memberOf(l)
	if v == nil {
		return
	}
	if _, ok := a.writes[v]; ok {
		s.tell(v, pos)
	}
	a.write(v, pos)
}

// memberOf returns the scalar variable that a place is, or nil: parts may be different ones.
func memberOf(x tree.Expr) *tree.Var {
	if v, ok := x.(*tree.VarRef); ok {
		return v.Var
	}
	return nil
}

// unordered joins the accesses of two operands that may be evaluated in any order.
func (s *sequencer) unordered(a, b accesses) accesses {
	for v, p := range b.writes {
		if _, ok := a.writes[v]; ok {
			s.tell(v, p)
		} else if _, ok := a.reads[v]; ok {
			s.tell(v, p)
		}
	}
	for v, p := range b.reads {
		if _, ok := a.writes[v]; ok {
			s.tell(v, p)
		}
	}
	a.add(b)
	return a
}

func (s *sequencer) tell(v *tree.Var, pos tree.Pos) {
	if s.told[v] {
		return
	}
	if s.told == nil {
		s.told = map[*tree.Var]bool{}
	}
	s.told[v] = true
	s.c.warnf(pos, "Write two statements.", "%s is changed and used in one expression, and C does not define the order; clmc evaluates from left to right", v.Name)
}
