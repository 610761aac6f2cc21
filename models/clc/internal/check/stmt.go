package check

import (
	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// label is a label of a function.
type label struct {
	l       *tree.Label
	defined bool
	used    tree.Pos
}

// switching is a switch that is being checked.
type switching struct {
	s    *tree.Switch
	t    *tree.Type
	seen []*tree.Case
}

// compound checks { ... }.
func (c *checker) compound(n *cc.CompoundStatement, ownScope bool) *tree.BlockStmt {
	if ownScope {
		defer c.push()()
	}
	b := &tree.BlockStmt{At: tree.At{P: c.pos(n.Token)}, End: c.pos(n.Token2)}
	for l := n.BlockItemList; l != nil; l = l.BlockItemList {
		item := l.BlockItem
		if item == nil || injected(item) {
			continue
		}
		c.at = c.pos(item)
		c.try(func() { b.List = append(b.List, c.blockItem(item)...) })
	}
	return b
}

// injected reports whether cc put a declaration of __func__ there.
func injected(item *cc.BlockItem) bool {
	if item.Case != cc.BlockItemDecl || item.Declaration == nil || item.Declaration.InitDeclaratorList == nil {
		return false
	}
	d := item.Declaration.InitDeclaratorList.InitDeclarator
	return d != nil && d.Declarator != nil && d.Declarator.Name() == "__func__"
}

func (c *checker) blockItem(n *cc.BlockItem) []tree.Stmt {
	switch n.Case {
	case cc.BlockItemDecl:
		return c.declaration(n.Declaration)
	case cc.BlockItemStmt:
		return []tree.Stmt{c.statement(n.Statement)}
	case cc.BlockItemFuncDef:
		c.fail(c.pos(n), "Define it at program scope.", "a function cannot be defined in a function")
	}
	c.fail(c.pos(n), "Labels need no declaration.", "OpenCL C has no __label__")
	return nil
}

// statement checks a statement.
func (c *checker) statement(n *cc.Statement) tree.Stmt {
	if n == nil {
		c.fail(c.at, "", "a statement is missing")
	}
	pos := c.pos(n)
	c.at = pos
	switch n.Case {
	case cc.StatementLabeled:
		return c.labeled(n.LabeledStatement)
	case cc.StatementCompound:
		return c.compound(n.CompoundStatement, true)
	case cc.StatementExpr:
		c.attribute(&attributes{}, n.ExpressionStatement.AttributeSpecifierList)
		if n.ExpressionStatement.ExpressionList == nil {
			return &tree.Empty{At: tree.At{P: pos}}
		}
		return &tree.ExprStmt{At: tree.At{P: pos}, X: c.effect(n.ExpressionStatement.ExpressionList)}
	case cc.StatementSelection:
		return c.choice(n.SelectionStatement)
	case cc.StatementIteration:
		return c.iteration(n.IterationStatement)
	case cc.StatementJump:
		return c.jump(n.JumpStatement)
	}
	c.fail(pos, asmHint, "inline assembly")
	return nil
}

// effect checks an expression whose value is dropped.
func (c *checker) effect(n cc.ExpressionNode) tree.Expr {
	x := c.expr(n)
	if tree.IsLvalue(x) {
		if x.Type().Kind == tree.Array {
			return c.value(x)
		}
		if x.Type().Kind == tree.Atomic && x.Type().Flag {
			c.fail(x.Pos(), "Use atomic_flag_test_and_set.", "an atomic_flag cannot be read")
		}
		x = c.load(x.(tree.Lvalue))
	}
	return c.sequenced(x)
}

// full checks an expression that is one of its own: not an operand.
func (c *checker) full(n cc.ExpressionNode) tree.Expr { return c.sequenced(c.rvalue(n)) }

// condition checks what if, for and while ask.
func (c *checker) condition(n cc.ExpressionNode) tree.Expr {
	x := c.full(n)
	if !x.Type().IsScalar() {
		hint := ""
		if x.Type().Kind == tree.Vector {
			hint = "Write any(...) or all(...)."
		}
		c.fail(x.Pos(), hint, "a condition is a number or a pointer, not %s", x.Type())
	}
	return x
}

// choice checks if and switch.
func (c *checker) choice(n *cc.SelectionStatement) tree.Stmt {
	at := tree.At{P: c.pos(n.Token)}
	defer c.push()()
	switch n.Case {
	case cc.SelectionStatementIf, cc.SelectionStatementIfElse:
		s := &tree.If{At: at, Cond: c.condition(n.ExpressionList)}
		s.Then = c.branch(n.Statement)
		if n.Case == cc.SelectionStatementIfElse {
			s.Else = c.branch(n.Statement2)
		}
		return s
	}
	x := c.full(n.ExpressionList)
	if !x.Type().IsInteger() {
		c.fail(x.Pos(), "", "switch takes an integer, not %s", x.Type())
	}
	x = c.promote(x)
	s := &tree.Switch{At: at, X: x}
	c.fn.switches = append(c.fn.switches, &switching{s: s, t: x.Type()})
	c.fn.breaks++
	c.fn.hasSwitch = true
	defer func() { c.fn.switches = c.fn.switches[:len(c.fn.switches)-1]; c.fn.breaks-- }()
	s.Body = c.branch(n.Statement)
	return s
}

// branch checks a statement that is part of another one: what is wrong in it ends there.
func (c *checker) branch(n *cc.Statement) (s tree.Stmt) {
	defer c.push()()
	if !c.try(func() { s = c.statement(n) }) {
		return &tree.Empty{}
	}
	return s
}

// iteration checks loops.
func (c *checker) iteration(n *cc.IterationStatement) tree.Stmt {
	at := tree.At{P: c.pos(n.Token)}
	defer c.push()()
	body := func() tree.Stmt {
		c.fn.loops++
		c.fn.breaks++
		defer func() { c.fn.loops--; c.fn.breaks-- }()
		return c.branch(n.Statement)
	}
	switch n.Case {
	case cc.IterationStatementWhile:
		x := c.condition(n.ExpressionList)
		return &tree.While{At: at, Cond: x, Body: body()}
	case cc.IterationStatementDo:
		b := body()
		return &tree.DoWhile{At: at, Body: b, Cond: c.condition(n.ExpressionList)}
	}
	s := &tree.For{At: at}
	cond, post := n.ExpressionList, n.ExpressionList2
	if n.Case == cc.IterationStatementForDecl {
		s.Init = c.declaration(n.Declaration)
	} else {
		if n.ExpressionList != nil {
			x := c.effect(n.ExpressionList)
			s.Init = []tree.Stmt{&tree.ExprStmt{At: tree.At{P: x.Pos()}, X: x}}
		}
		cond, post = n.ExpressionList2, n.ExpressionList3
	}
	if cond != nil {
		s.Cond = c.condition(cond)
	}
	if post != nil {
		s.Post = c.effect(post)
	}
	s.Body = body()
	return s
}

// jump checks break, continue, goto and return.
func (c *checker) jump(n *cc.JumpStatement) tree.Stmt {
	at := tree.At{P: c.pos(n.Token)}
	switch n.Case {
	case cc.JumpStatementBreak:
		if c.fn.breaks == 0 {
			c.fail(at.P, "", "break outside a loop or switch")
		}
		return &tree.Break{At: at}
	case cc.JumpStatementContinue:
		if c.fn.loops == 0 {
			c.fail(at.P, "", "continue outside a loop")
		}
		return &tree.Continue{At: at}
	case cc.JumpStatementGoto:
		c.fn.hasGoto = true
		l := c.labelNamed(n.Token2.SrcStr())
		if l.used.Line == 0 {
			l.used = c.pos(n.Token2)
		}
		return &tree.Goto{At: at, To: l.l}
	case cc.JumpStatementReturn:
		return c.ret(n, at)
	}
	c.fail(at.P, "Write switch.", "a goto to a computed place")
	return nil
}

// ret checks return.
func (c *checker) ret(n *cc.JumpStatement, at tree.At) tree.Stmt {
	s := &tree.Return{At: at}
	if n.ExpressionList == nil {
		if c.fn.result == nil {
			c.fn.result = tree.TVoid
		}
		if c.fn.result.Kind != tree.Void {
			c.fail(at.P, "", "this function returns %s: the value is missing", c.fn.result)
		}
		return s
	}
	x := c.full(n.ExpressionList)
	if c.fn.result == nil {
		c.fn.result = x.Type()
	}
	if c.fn.result.Kind == tree.Void {
		if x.Type().Kind == tree.Void && !c.fn.f.Kernel {
			s.X = x
			return s
		}
		c.fail(x.Pos(), "", "this function returns nothing")
	}
	s.X = c.coerce(x, c.fn.result, "what is returned")
	return s
}

// labelNamed returns the label of a name in the function.
func (c *checker) labelNamed(name string) *label {
	if c.fn.labels[name] == nil {
		c.fn.labels[name] = &label{l: &tree.Label{Name: name}}
	}
	return c.fn.labels[name]
}

// labeled checks a label or case with the statement after it.
func (c *checker) labeled(n *cc.LabeledStatement) tree.Stmt {
	at := tree.At{P: c.pos(n.Token)}
	var mark tree.Stmt
	switch n.Case {
	case cc.LabeledStatementLabel:
		l := c.labelNamed(n.Token.SrcStr())
		if l.defined {
			c.fail(at.P, "", "the label %s is defined twice", l.l.Name)
		}
		l.defined, l.l.At = true, at
		mark = l.l
	default:
		mark = c.caseLabel(n, at)
	}
	// A chain of labels makes one list, not a nest of blocks.
	list := []tree.Stmt{mark}
	if next := n.Statement; next != nil {
		s := c.statement(next)
		if b, ok := s.(*tree.BlockStmt); ok && next.Case == cc.StatementLabeled {
			list = append(list, b.List...)
		} else {
			list = append(list, s)
		}
	}
	return &tree.BlockStmt{At: at, List: list, End: at.P}
}

// caseLabel checks case and default.
func (c *checker) caseLabel(n *cc.LabeledStatement, at tree.At) tree.Stmt {
	if len(c.fn.switches) == 0 {
		c.fail(at.P, "", "case outside a switch")
	}
	w := c.fn.switches[len(c.fn.switches)-1]
	k := &tree.Case{At: at}
	switch n.Case {
	case cc.LabeledStatementDefault:
		k.Default = true
	case cc.LabeledStatementRange:
		k.Lo, k.Hi = c.caseValue(n.ConstantExpression, w.t), c.caseValue(n.ConstantExpression2, w.t)
	default:
		k.Lo = c.caseValue(n.ConstantExpression, w.t)
		k.Hi = k.Lo
	}
	for _, old := range w.seen {
		if k.Default && old.Default {
			c.fail(at.P, "", "the switch has two default labels")
		}
		if !k.Default && !old.Default && k.Lo <= old.Hi && old.Lo <= k.Hi {
			c.fail(at.P, "", "the switch has two cases %d", k.Lo)
		}
	}
	w.seen = append(w.seen, k)
	w.s.Cases = append(w.s.Cases, k)
	return k
}

func (c *checker) caseValue(n cc.ExpressionNode, t *tree.Type) int64 {
	return int64(truncate(uint64(c.constant(n, "the value of a case")), t.Kind))
}

// statementExpr checks ({ ... }): a block literal, or a statement expression of GNU C.
func (c *checker) statementExpr(n *cc.PrimaryExpression) tree.Expr {
	if d, body := blockLiteral(n.CompoundStatement); d != nil {
		return c.blockLit(d, body, c.pos(n))
	}
	if c.fn == nil {
		c.fail(c.pos(n), "", "a statement expression outside a function")
	}
	at := c.at
	defer func() { c.at = at }()
	defer c.push()()
	pos := c.pos(n.Token)
	x := &tree.StmtExpr{Node: tree.Node{T: tree.TVoid, P: pos}}
	x.Body = c.compound(n.CompoundStatement, false)
	if last := len(x.Body.List) - 1; last >= 0 {
		if s, ok := x.Body.List[last].(*tree.ExprStmt); ok {
			x.X, x.T = s.X, s.X.Type()
			x.Body.List = x.Body.List[:last]
		}
	}
	return x
}

// blockLiteral returns the declaration and the body that rewrite made of a block literal.
func blockLiteral(n *cc.CompoundStatement) (*cc.Declaration, *cc.CompoundStatement) {
	if n == nil || n.BlockItemList == nil || n.BlockItemList.BlockItemList == nil {
		return nil, nil
	}
	d, s := n.BlockItemList.BlockItem, n.BlockItemList.BlockItemList.BlockItem
	if d == nil || s == nil || d.Case != cc.BlockItemDecl || s.Case != cc.BlockItemStmt || s.Statement == nil || s.Statement.Case != cc.StatementCompound {
		return nil, nil
	}
	l := d.Declaration.InitDeclaratorList
	if l == nil || l.InitDeclarator == nil || l.InitDeclarator.Declarator == nil || l.InitDeclarator.Declarator.Name() != "__clc_block" {
		return nil, nil
	}
	return d.Declaration, s.Statement.CompoundStatement
}

// blockLit checks a block literal.
func (c *checker) blockLit(d *cc.Declaration, body *cc.CompoundStatement, pos tree.Pos) tree.Expr {
	if c.o.Std < tree.CL20 {
		c.fail(pos, "Use -cl-std=CL2.0.", "blocks need OpenCL C 2.0")
	}
	s := c.specifiers(d.DeclarationSpecifiers)
	out := c.declarator(s, d.InitDeclaratorList.InitDeclarator.Declarator)
	if out.varArg {
		c.fail(pos, "", "a block with ...")
	}
	f := &tree.Func{Name: "", Pos: pos, Result: out.t.Elem}
	lit := &tree.BlockLit{Node: tree.Node{P: pos}, Func: f}
	fn := &function{outer: c.fn, f: f, block: lit, captured: map[*tree.Var]*tree.Var{}, labels: map[string]*label{}, result: f.Result}
	if c.fn != nil {
		fn.fun = c.fn.fun
	}
	if s.deduced {
		fn.result = nil
	}
	outer, at := c.fn, c.at
	c.fn = fn
	defer func() { c.fn, c.at = outer, at }()
	defer c.push()()
	fn.top = c.scope
	c.params(f, out.params)
	f.Body = c.compound(body, false)
	c.endFunction(fn)
	if fn.result == nil {
		fn.result = tree.TVoid
	}
	f.Result = fn.result
	params := make([]*tree.Type, len(f.Params))
	for i, p := range f.Params {
		params[i] = p.Type
	}
	lit.T = c.ts.Block(c.ts.Function(f.Result, params))
	return lit
}

// endFunction checks what can be seen at the end of a function.
func (c *checker) endFunction(fn *function) {
	for _, l := range fn.labels {
		if !l.defined {
			c.errorf(l.used, "", "the label %s is unknown", l.l.Name)
			return
		}
	}
	if fn.hasGoto || fn.hasSwitch {
		c.reducible(fn.f)
	}
}
