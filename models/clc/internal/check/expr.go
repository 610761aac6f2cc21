package check

import (
	"cmp"
	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// rvalue checks an expression and returns its value.
func (c *checker) rvalue(n cc.ExpressionNode) tree.Expr { return c.value(c.expr(n)) }

// value returns the value of an expression that may name a place.
func (c *checker) value(x tree.Expr) tree.Expr {
	switch {
	case x.Type().Kind == tree.Array:
		if !tree.IsLvalue(x) {
			c.fail(x.Pos(), "Assign the struct to a variable first.", "an array that is a member of a value")
		}
		return c.decay(x.(tree.Lvalue))
	case tree.IsLvalue(x):
		return c.load(x.(tree.Lvalue))
	}
	return x
}

func (c *checker) load(x tree.Lvalue) tree.Expr {
	t := x.Type()
	if t.Kind == tree.Atomic {
		if t.Flag {
			c.fail(x.Pos(), "Use atomic_flag_test_and_set.", "an atomic_flag cannot be read")
		}
		t = t.Elem
	}
	if !t.IsComplete() {
		c.fail(x.Pos(), "", "a value of type %s, whose size is unknown", t)
	}
	return &tree.Load{Node: tree.Node{T: t, P: x.Pos()}, X: x}
}

func (c *checker) decay(x tree.Lvalue) tree.Expr {
	return &tree.Decay{Node: tree.Node{T: c.ts.Pointer(x.Type().Elem, x.Place()), P: x.Pos()}, X: x}
}

// expr checks an expression: a place or a value.
func (c *checker) expr(n cc.ExpressionNode) tree.Expr {
	switch n := n.(type) {
	case *cc.PrimaryExpression:
		return c.primary(n)
	case *cc.PostfixExpression:
		return c.postfix(n)
	case *cc.UnaryExpression:
		return c.unary(n)
	case *cc.CastExpression:
		if n.Case == cc.CastExpressionUnary {
			return c.expr(n.UnaryExpression)
		}
		return c.cast(n)
	case *cc.MultiplicativeExpression:
		if n.Case == cc.MultiplicativeExpressionCast {
			return c.expr(n.CastExpression)
		}
		return c.binary(products[n.Case], n.Token, n.MultiplicativeExpression, n.CastExpression)
	case *cc.AdditiveExpression:
		if n.Case == cc.AdditiveExpressionMul {
			return c.expr(n.MultiplicativeExpression)
		}
		op := tree.Add
		if n.Case == cc.AdditiveExpressionSub {
			op = tree.Sub
		}
		return c.binary(op, n.Token, n.AdditiveExpression, n.MultiplicativeExpression)
	case *cc.ShiftExpression:
		if n.Case == cc.ShiftExpressionAdd {
			return c.expr(n.AdditiveExpression)
		}
		op := tree.Shl
		if n.Case == cc.ShiftExpressionRsh {
			op = tree.Shr
		}
		return c.binary(op, n.Token, n.ShiftExpression, n.AdditiveExpression)
	case *cc.RelationalExpression:
		if n.Case == cc.RelationalExpressionShift {
			return c.expr(n.ShiftExpression)
		}
		return c.binary(comparisons[n.Case], n.Token, n.RelationalExpression, n.ShiftExpression)
	}
	return c.expr2(n)
}

// The operators of those parse nodes that stand for several operators.
var (
	products = map[cc.MultiplicativeExpressionCase]tree.BinaryOp{
		cc.MultiplicativeExpressionMul: tree.Mul, cc.MultiplicativeExpressionDiv: tree.Div, cc.MultiplicativeExpressionMod: tree.Rem,
	}
	comparisons = map[cc.RelationalExpressionCase]tree.BinaryOp{
		cc.RelationalExpressionLt: tree.Lt, cc.RelationalExpressionGt: tree.Gt, cc.RelationalExpressionLeq: tree.Le, cc.RelationalExpressionGeq: tree.Ge,
	}
)

// expr2 checks the expressions of lower precedence.
func (c *checker) expr2(n cc.ExpressionNode) tree.Expr {
	switch n := n.(type) {
	case *cc.EqualityExpression:
		if n.Case == cc.EqualityExpressionRel {
			return c.expr(n.RelationalExpression)
		}
		op := tree.Eq
		if n.Case == cc.EqualityExpressionNeq {
			op = tree.Ne
		}
		return c.binary(op, n.Token, n.EqualityExpression, n.RelationalExpression)
	case *cc.AndExpression:
		if n.Case == cc.AndExpressionEq {
			return c.expr(n.EqualityExpression)
		}
		return c.binary(tree.And, n.Token, n.AndExpression, n.EqualityExpression)
	case *cc.ExclusiveOrExpression:
		if n.Case == cc.ExclusiveOrExpressionAnd {
			return c.expr(n.AndExpression)
		}
		return c.binary(tree.Xor, n.Token, n.ExclusiveOrExpression, n.AndExpression)
	case *cc.InclusiveOrExpression:
		if n.Case == cc.InclusiveOrExpressionXor {
			return c.expr(n.ExclusiveOrExpression)
		}
		return c.binary(tree.Or, n.Token, n.InclusiveOrExpression, n.ExclusiveOrExpression)
	case *cc.LogicalAndExpression:
		if n.Case == cc.LogicalAndExpressionOr {
			return c.expr(n.InclusiveOrExpression)
		}
		return c.logic(false, n.Token, n.LogicalAndExpression, n.InclusiveOrExpression)
	case *cc.LogicalOrExpression:
		if n.Case == cc.LogicalOrExpressionLAnd {
			return c.expr(n.LogicalAndExpression)
		}
		return c.logic(true, n.Token, n.LogicalOrExpression, n.LogicalAndExpression)
	case *cc.ConditionalExpression:
		if n.Case == cc.ConditionalExpressionLOr {
			return c.expr(n.LogicalOrExpression)
		}
		return c.conditional(n)
	case *cc.AssignmentExpression:
		if n.Case == cc.AssignmentExpressionCond {
			return c.expr(n.ConditionalExpression)
		}
		return c.assignment(n)
	case *cc.ExpressionList:
		return c.comma(n)
	case *cc.ConstantExpression:
		return c.expr(n.ConditionalExpression)
	case nil:
		c.fail(c.at, "", "an expression is missing")
	}
	c.fail(c.pos(n), "", "this is not an expression of OpenCL C")
	return nil
}

// comma checks a list of expressions, of which the last one is the value.
func (c *checker) comma(n *cc.ExpressionList) tree.Expr {
	if n.ExpressionList == nil {
		return c.expr(n.AssignmentExpression)
	}
	x := c.value(c.expr(n.AssignmentExpression))
	for n = n.ExpressionList; n != nil; n = n.ExpressionList {
		y := c.value(c.expr(n.AssignmentExpression))
		x = &tree.Comma{Node: tree.Node{T: y.Type(), P: c.pos(n.Token)}, X: x, Y: y}
	}
	return x
}

// primary checks names, constants and what is in parentheses.
func (c *checker) primary(n *cc.PrimaryExpression) tree.Expr {
	pos := c.pos(n.Token)
	switch n.Case {
	case cc.PrimaryExpressionIdent:
		return c.name(n.Token.SrcStr(), pos)
	case cc.PrimaryExpressionInt:
		return c.intLiteral(n.Token.SrcStr(), pos)
	case cc.PrimaryExpressionFloat:
		return c.floatLiteral(n.Token.SrcStr(), pos)
	case cc.PrimaryExpressionChar:
		return c.charLiteral(n.Token.SrcStr(), pos)
	case cc.PrimaryExpressionString:
		s, ok := unquote(n.Token.SrcStr())
		if !ok {
			c.fail(pos, "", "this string has an unknown escape sequence")
		}
		return &tree.StringLit{Node: tree.Node{T: c.ts.Array(tree.TChar, int64(len(s))+1), P: pos}, Value: s}
	case cc.PrimaryExpressionExpr:
		return c.expr(n.ExpressionList)
	case cc.PrimaryExpressionStmt:
		return c.statementExpr(n)
	case cc.PrimaryExpressionGeneric:
		return c.generic(n.GenericSelection)
	}
	c.fail(pos, "", "OpenCL C has no wide characters")
	return nil
}

// name returns what a name stands for in an expression.
func (c *checker) name(name string, pos tree.Pos) tree.Expr {
	m, s := c.lookup(name)
	switch m := m.(type) {
	case *tree.Var:
		return c.varRef(m, s, pos)
	case *tree.Const:
		k := *m
		k.P = pos
		return &k
	case poison:
		panic(bail{})
	case typedef:
		c.fail(pos, "", "%s is a type", name)
	case *overloads:
		c.fail(pos, "Call the function, or choose with if or switch.", "%s is a function; pointers to functions are not part of OpenCL C", name)
	}
	if k := constantNamed(c.o.Std, name, pos); k != nil {
		return k
	}
	if builtinNamed(c.o.Std, name) {
		c.fail(pos, "Call it.", "%s is a built-in function", name)
	}
	meant := c.suggest(name)
	c.report(pos, cmp.Or(meant, define(name)), name+" is unknown")
	if meant == "" && define(name) != "" {
		c.lacks(pos, name, false)
	}
	panic(bail{})
}

// varRef returns a use of a variable, which a block captures.
func (c *checker) varRef(v *tree.Var, s *scope, pos tree.Pos) tree.Expr {
	if v.Storage == tree.Auto || v.Storage == tree.Param {
		v = c.capture(v, c.fn, s, pos)
	}
	return &tree.VarRef{Node: tree.Node{T: v.Type, P: pos}, Var: v}
}

// capture returns what stands for a variable of scope s in a function or block.
func (c *checker) capture(v *tree.Var, fn *function, s *scope, pos tree.Pos) *tree.Var {
	if s.fn == fn || fn == nil || fn.block == nil {
		return v
	}
	if in := fn.captured[v]; in != nil {
		return in
	}
	if v.Type.Kind == tree.Block {
		c.fail(pos, "Write a function, or make that block within this one.", "%s is a block, and a block cannot refer to another one around it (OpenCL C 2.0 6.12.5)", v.Name)
	}
	outer := c.capture(v, fn.outer, s, pos)
	in := &tree.Var{Name: v.Name, Type: v.Type, Quals: v.Quals, Storage: tree.Auto, Pos: v.Pos, Owner: fn.f}
	in.Quals.Const = true
	fn.captured[v] = in
	fn.block.Captures = append(fn.block.Captures, tree.Capture{Outer: outer, Inner: in})
	return in
}

// generic checks _Generic.
func (c *checker) generic(n *cc.GenericSelection) tree.Expr {
	t := c.rvalue(n.AssignmentExpression).Type()
	var other cc.ExpressionNode
	for l := n.GenericAssociationList; l != nil; l = l.GenericAssociationList {
		a := l.GenericAssociation
		if a.Case == cc.GenericAssociationDefault {
			other = a.AssignmentExpression
			continue
		}
		if u, _ := c.typeName(a.TypeName); u == t {
			return c.expr(a.AssignmentExpression)
		}
	}
	if other == nil {
		c.fail(c.pos(n), "", "_Generic has nothing for %s", t)
	}
	return c.expr(other)
}

// postfix checks what follows an operand: indices, calls, members, ++.
func (c *checker) postfix(n *cc.PostfixExpression) tree.Expr {
	switch n.Case {
	case cc.PostfixExpressionPrimary:
		return c.expr(n.PrimaryExpression)
	case cc.PostfixExpressionIndex:
		return c.index(n)
	case cc.PostfixExpressionCall:
		return c.call(n)
	case cc.PostfixExpressionSelect:
		return c.selector(c.expr(n.PostfixExpression), n.Token2.SrcStr(), c.pos(n.Token2))
	case cc.PostfixExpressionPSelect:
		return c.arrow(n)
	case cc.PostfixExpressionInc, cc.PostfixExpressionDec:
		return c.incDec(c.expr(n.PostfixExpression), n.Case == cc.PostfixExpressionDec, true, c.pos(n.Token))
	case cc.PostfixExpressionComplit:
		return c.compoundLit(n)
	}
	c.fail(c.pos(n), "", "this is not an expression of OpenCL C")
	return nil
}

// index checks x[i], for arrays, pointers and vectors.
func (c *checker) index(n *cc.PostfixExpression) tree.Expr {
	x, i := c.expr(n.PostfixExpression), c.rvalue(n.ExpressionList)
	pos := c.pos(n.Token)
	if x.Type().Kind == tree.Vector {
		return c.lane(x, i, pos)
	}
	x = c.value(x)
	if x.Type().IsInteger() && i.Type().Kind == tree.Pointer {
		x, i = i, x
	}
	if x.Type().Kind != tree.Pointer {
		c.fail(pos, "", "%s is not an array, pointer or vector", x.Type())
	}
	if !i.Type().IsInteger() {
		c.fail(i.Pos(), "", "an index is an integer, not %s", i.Type())
	}
	if !x.Type().Elem.IsComplete() {
		c.fail(pos, "Cast it to a pointer to another type first.", "a pointer to %s cannot be indexed", x.Type().Elem)
	}
	return &tree.Index{Node: tree.Node{T: x.Type().Elem, P: pos}, X: x, I: i}
}

// lane checks v[i].
func (c *checker) lane(x, i tree.Expr, pos tree.Pos) tree.Expr {
	if !i.Type().IsInteger() {
		c.fail(i.Pos(), "", "an index is an integer, not %s", i.Type())
	}
	if k, ok := i.(*tree.Const); ok {
		if k.Bits >= uint64(x.Type().Len) {
			c.fail(i.Pos(), "", "%s has lanes 0 to %d", x.Type(), x.Type().Len-1)
		}
		return &tree.Swizzle{Node: tree.Node{T: x.Type().Elem, P: pos}, X: x, Lanes: []int{int(k.Bits)}}
	}
	return &tree.Lane{Node: tree.Node{T: x.Type().Elem, P: pos}, X: x, I: i}
}

// selector checks x.name: a member or a swizzle.
func (c *checker) selector(x tree.Expr, name string, pos tree.Pos) tree.Expr {
	t := x.Type()
	if t.Kind == tree.Vector {
		return c.swizzle(x, name, pos)
	}
	if t.Record == nil {
		if t.Kind == tree.Pointer && (t.Elem.Record != nil || t.Elem.Kind == tree.Vector) {
			c.fail(pos, "Write -> instead of the dot.", "%s is a pointer", t)
		}
		c.fail(pos, "", "%s has no members", t)
	}
	if !t.IsComplete() {
		c.fail(pos, "", "%s is declared but not defined: its members are unknown", t)
	}
	list := path(t.Record, name)
	if list == nil {
		c.fail(pos, "", "%s has no member %s", t, name)
	}
	for _, i := range list {
		f := x.Type().Record.Fields[i]
		x = &tree.Member{Node: tree.Node{T: f.Type, P: pos}, X: x, Field: i}
	}
	return x
}

// arrow checks p->name.
func (c *checker) arrow(n *cc.PostfixExpression) tree.Expr {
	p := c.rvalue(n.PostfixExpression)
	pos := c.pos(n.Token2)
	if p.Type().Kind != tree.Pointer {
		hint := ""
		if p.Type().Record != nil || p.Type().Kind == tree.Vector {
			hint = "Write a dot instead of ->."
		}
		c.fail(pos, hint, "%s is not a pointer", p.Type())
	}
	if p.Type().Elem.Record == nil && p.Type().Elem.Kind != tree.Vector {
		c.fail(pos, "", "-> is for members and lanes, and this points to %s", p.Type().Elem)
	}
	return c.selector(c.deref(p, c.pos(n.Token)), n.Token2.SrcStr(), pos)
}

// deref returns *p.
func (c *checker) deref(p tree.Expr, pos tree.Pos) tree.Expr {
	t := p.Type()
	if t.Kind != tree.Pointer {
		c.fail(pos, "", "%s is not a pointer", t)
	}
	if t.Elem.Kind == tree.Void {
		c.fail(pos, "Cast it to a pointer to another type first.", "a pointer to void cannot be dereferenced")
	}
	return &tree.Deref{Node: tree.Node{T: t.Elem, P: pos}, X: p}
}

// unary checks prefix operators.
func (c *checker) unary(n *cc.UnaryExpression) tree.Expr {
	pos := c.pos(n.Token)
	switch n.Case {
	case cc.UnaryExpressionPostfix:
		return c.expr(n.PostfixExpression)
	case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
		return c.incDec(c.expr(n.UnaryExpression), n.Case == cc.UnaryExpressionDec, false, pos)
	case cc.UnaryExpressionAddrof:
		if lit := compoundLiteral(n.CastExpression); lit != nil {
			return c.addrOf(c.literalPlace(lit), pos)
		}
		return c.addrOf(c.expr(n.CastExpression), pos)
	case cc.UnaryExpressionDeref:
		return c.deref(c.rvalue(n.CastExpression), pos)
	case cc.UnaryExpressionPlus, cc.UnaryExpressionMinus, cc.UnaryExpressionCpl, cc.UnaryExpressionNot:
		return c.operator1(n.Case, c.rvalue(n.CastExpression), pos)
	case cc.UnaryExpressionSizeofExpr:
		x := c.unevaluated(n.UnaryExpression)
		return c.sizeOf(x.Type(), false, pos)
	case cc.UnaryExpressionSizeofType:
		t, _ := c.typeName(n.TypeName)
		return c.sizeOf(t, false, pos)
	case cc.UnaryExpressionAlignofExpr:
		x := c.unevaluated(n.UnaryExpression)
		return c.sizeOf(x.Type(), true, pos)
	case cc.UnaryExpressionAlignofType:
		t, _ := c.typeName(n.TypeName)
		return c.sizeOf(t, true, pos)
	}
	c.fail(pos, "", "OpenCL C has no %s", n.Token.SrcStr())
	return nil
}

// unevaluated checks an expression that is asked for its type only: what it calls is not called.
func (c *checker) unevaluated(n cc.ExpressionNode) tree.Expr {
	warnings := len(c.warnings)
	x := c.expr(n)
	c.warnings = c.warnings[:warnings]
	return x
}

func (c *checker) sizeOf(t *tree.Type, align bool, pos tree.Pos) tree.Expr {
	if !t.IsComplete() {
		c.fail(pos, "", "the size of %s is unknown", t)
	}
	switch innermost(t).Kind {
	case tree.Image, tree.Sampler, tree.Event, tree.ClkEvent, tree.Queue, tree.ReserveID, tree.Pipe, tree.Block:
		c.fail(pos, "", "%s has no size", t)
	}
	n := t.Size()
	if align {
		n = t.Align()
	}
	return &tree.Const{Node: tree.Node{T: tree.TULong, P: pos}, Bits: uint64(n)}
}

// addrOf checks &x.
func (c *checker) addrOf(x tree.Expr, pos tree.Pos) tree.Expr {
	if !tree.IsLvalue(x) {
		c.fail(pos, "Assign it to a variable first.", "& needs an object in memory")
	}
	switch x.(type) {
	case *tree.Swizzle, *tree.Lane:
		c.fail(pos, "Take the address of the vector, and cast it to a pointer to its elements.", "& of a lane of a vector")
	}
	l := x.(tree.Lvalue)
	switch t := x.Type(); t.Kind {
	case tree.Image, tree.Sampler, tree.Queue, tree.Pipe:
		c.fail(pos, "", "& of %s", t)
	}
	return &tree.AddrOf{Node: tree.Node{T: c.ts.Pointer(x.Type(), l.Place()), P: pos}, X: l}
}

// operator1 checks + - ~ !.
func (c *checker) operator1(op cc.UnaryExpressionCase, x tree.Expr, pos tree.Pos) tree.Expr {
	t := x.Type()
	lane := t.Lane()
	wrong := func() {
		c.fail(pos, "", "this operator does not take %s", t)
	}
	switch op {
	case cc.UnaryExpressionNot:
		if t.Kind == tree.Vector {
			return &tree.Unary{Node: tree.Node{T: masks(t), P: pos}, Op: tree.Not, X: x}
		}
		if !t.IsScalar() {
			wrong()
		}
		return c.fold1(&tree.Unary{Node: tree.Node{T: tree.TInt, P: pos}, Op: tree.Not, X: x})
	case cc.UnaryExpressionCpl:
		if !lane.IsInteger() {
			wrong()
		}
		x = c.promote(x)
		return c.fold1(&tree.Unary{Node: tree.Node{T: x.Type(), P: pos}, Op: tree.Cpl, X: x})
	}
	if !lane.IsArithmetic() {
		wrong()
	}
	x = c.promote(x)
	if op == cc.UnaryExpressionPlus {
		return x
	}
	return c.fold1(&tree.Unary{Node: tree.Node{T: x.Type(), P: pos}, Op: tree.Neg, X: x})
}

// masks is the type that comparisons of vectors have: signed integers of the same width.
func masks(t *tree.Type) *tree.Type {
	return tree.VectorOf(signedOf(t.Elem.Kind.Bits()), t.Len)
}

func signedOf(bits int) *tree.Type {
	return map[int]*tree.Type{8: tree.TChar, 16: tree.TShort, 32: tree.TInt, 64: tree.TLong}[bits]
}

func unsignedOf(bits int) *tree.Type {
	return map[int]*tree.Type{8: tree.TUChar, 16: tree.TUShort, 32: tree.TUInt, 64: tree.TULong}[bits]
}

// logic checks && and ||.
func (c *checker) logic(or bool, op cc.Token, l, r cc.ExpressionNode) tree.Expr {
	pos := c.pos(op)
	x, y := c.rvalue(l), c.rvalue(r)
	if x.Type().Kind == tree.Vector || y.Type().Kind == tree.Vector {
		x, y = c.usual(x, y, pos)
		return &tree.Logic{Node: tree.Node{T: masks(x.Type()), P: pos}, Or: or, X: x, Y: y}
	}
	for _, z := range []tree.Expr{x, y} {
		if !z.Type().IsScalar() {
			c.fail(z.Pos(), "", "a condition is a number or a pointer, not %s", z.Type())
		}
	}
	return foldLogic(&tree.Logic{Node: tree.Node{T: tree.TInt, P: pos}, Or: or, X: x, Y: y})
}

// conditional checks ?:.
func (c *checker) conditional(n *cc.ConditionalExpression) tree.Expr {
	pos := c.pos(n.Token)
	k := c.rvalue(n.LogicalOrExpression)
	x := k
	switch {
	case n.ExpressionList != nil:
		x = c.rvalue(n.ExpressionList)
	case hasEffect(k):
		c.fail(pos, "Assign the condition to a variable first.", "?: without a middle, whose condition has an effect")
	}
	y := c.rvalue(n.ConditionalExpression)
	if k.Type().Kind == tree.Vector {
		return c.selection(k, x, y, pos)
	}
	if !k.Type().IsScalar() {
		c.fail(k.Pos(), "", "a condition is a number or a pointer, not %s", k.Type())
	}
	t := x.Type()
	switch {
	case t.Lane().IsArithmetic() && y.Type().Lane().IsArithmetic():
		x, y = c.usual(x, y, pos)
		t = x.Type()
	case t.Kind == tree.Void && y.Type().Kind == tree.Void, t == y.Type() && t.Kind != tree.Pointer:
	case t.Kind == tree.Pointer || y.Type().Kind == tree.Pointer:
		x, y = c.pointers(x, y, pos)
		t = x.Type()
	default:
		c.fail(pos, "", "the two sides of : are %s and %s", x.Type(), y.Type())
	}
	return foldCond(&tree.Cond{Node: tree.Node{T: t, P: pos}, C: k, X: x, Y: y})
}

// selection checks ?: with a vector as its condition.
func (c *checker) selection(k, x, y tree.Expr, pos tree.Pos) tree.Expr {
	kt := k.Type()
	if !kt.Elem.IsInteger() {
		c.fail(k.Pos(), "", "a condition of lanes is a vector of integers, not %s", kt)
	}
	if !x.Type().Lane().IsArithmetic() || !y.Type().Lane().IsArithmetic() {
		c.fail(pos, "", "the two sides of : are %s and %s", x.Type(), y.Type())
	}
	if x.Type().Kind != tree.Vector && y.Type().Kind != tree.Vector {
		x, y = c.usual(x, y, pos)
		if x.Type().Kind == tree.Int && kt.Elem.Kind.Bits() != 32 || x.Type().Kind.Bits() != kt.Elem.Kind.Bits() {
			c.fail(pos, "Cast them to the width of the condition's lanes.", "the condition is %s, and what it selects is %s", kt, x.Type())
		}
		t := tree.VectorOf(x.Type(), kt.Len)
		x, y = c.splat(x, t), c.splat(y, t)
	} else {
		x, y = c.usual(x, y, pos)
	}
	t := x.Type()
	if t.Len != kt.Len || t.Elem.Kind.Bits() != kt.Elem.Kind.Bits() {
		c.fail(pos, "The condition has as many lanes, of the same width.", "the condition is %s, and what it selects is %s", kt, t)
	}
	return &tree.Select{Node: tree.Node{T: t, P: pos}, C: k, X: x, Y: y}
}
