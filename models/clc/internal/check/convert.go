package check

import (
	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// promote converts what is narrower than int to int.
func (c *checker) promote(x tree.Expr) tree.Expr {
	if t := x.Type(); t.Kind >= tree.Bool && t.Kind < tree.Int {
		return c.to(x, tree.TInt, false)
	}
	return x
}

// to converts a number, vector or pointer to a type to which it can be converted.
func (c *checker) to(x tree.Expr, t *tree.Type, explicit bool) tree.Expr {
	from := x.Type()
	switch {
	case from == t && !explicit:
		return x
	case t.Kind == tree.Vector && from.Kind != tree.Vector:
		return c.splat(x, t)
	case from == t && t.Kind != tree.Pointer:
		return x
	}
	return foldConvert(&tree.Convert{Node: tree.Node{T: t, P: x.Pos()}, X: x, Explicit: explicit})
}

// splat widens a scalar to a vector. A bool gives -1 in lanes of integers, not 1.
func (c *checker) splat(x tree.Expr, t *tree.Type) tree.Expr {
	mask := x.Type().Kind == tree.Bool && t.Elem.IsInteger()
	x = c.to(x, t.Elem, false)
	if mask {
		x = c.fold1(&tree.Unary{Node: tree.Node{T: t.Elem, P: x.Pos()}, Op: tree.Neg, X: x})
	}
	return &tree.Splat{Node: tree.Node{T: t, P: x.Pos()}, X: x}
}

// usual does the usual arithmetic conversions: both operands have one type afterwards.
func (c *checker) usual(x, y tree.Expr, pos tree.Pos) (tree.Expr, tree.Expr) {
	tx, ty := x.Type(), y.Type()
	if !tx.Lane().IsArithmetic() || !ty.Lane().IsArithmetic() {
		c.fail(pos, c.mixHint(tx, ty), "this operator does not take %s and %s", tx, ty)
	}
	switch {
	case tx.Kind == tree.Vector && ty.Kind == tree.Vector:
		if tx != ty {
			c.fail(pos, "Convert one with convert_"+tx.String()+" or the like.", "this operator does not take %s and %s", tx, ty)
		}
		return x, y
	case tx.Kind == tree.Vector:
		return x, c.widen(y, tx, pos)
	case ty.Kind == tree.Vector:
		return c.widen(x, ty, pos), y
	}
	t := common(tx, ty)
	return c.to(x, t, false), c.to(y, t, false)
}

func (c *checker) mixHint(x, y *tree.Type) string {
	if x.Record != nil || y.Record != nil {
		return "Name the members."
	}
	return ""
}

// common returns the type in which two scalars are computed with.
func common(x, y *tree.Type) *tree.Type {
	a, b := max(x.Kind, tree.Int), max(y.Kind, tree.Int)
	if a < b {
		a, b = b, a
	}
	// ulong and long, uint and int: the larger kind is the unsigned one. long and uint: long holds all.
	return tree.Scalar(a)
}

// widen makes a vector of a scalar operand, whose type must not be of higher rank than the lanes.
func (c *checker) widen(x tree.Expr, t *tree.Type, pos tree.Pos) tree.Expr {
	from, lane := x.Type(), t.Elem
	tooWide := false
	switch {
	case lane.IsInteger() && from.IsFloating():
		c.fail(pos, "Cast the scalar, or convert the vector.", "this operator does not take %s and %s", t, from)
	case lane.IsInteger() && from.IsInteger(), lane.IsFloating() && from.IsFloating():
		tooWide = rank(from) > rank(lane)
	}
	if tooWide {
		c.fail(pos, "Cast the scalar to "+lane.String()+".", "this operator does not take %s and %s, which it would narrow", t, from)
	}
	return c.splat(x, t)
}

// rank orders the integers and the floating types by how much they hold.
func rank(t *tree.Type) int { return int(t.Kind) }

// null reports whether an expression is a null pointer constant.
func null(x tree.Expr) bool {
	if v, ok := x.(*tree.Convert); ok && v.Explicit && v.T.Kind == tree.Pointer && v.T.Elem.Kind == tree.Void {
		return null(v.X)
	}
	k, ok := x.(*tree.Const)
	if !ok {
		return false
	}
	return k.Bits == 0 && (k.T.IsInteger() || k.T.Kind == tree.Pointer && k.T.Elem.Kind == tree.Void)
}

// The ranks of implicit conversions, as they decide between overloads.
const (
	exact = iota
	qualified
	promoted
	converted
	splatted // a scalar becomes a vector
	doubtful // C allows it with a warning
)

// implicit says how an expression converts implicitly to a type, if it does.
func (c *checker) implicit(x tree.Expr, t *tree.Type) (int, bool) {
	from := x.Type()
	switch {
	case from == t:
		return exact, true
	case from.IsArithmetic() && t.IsArithmetic():
		if from.Kind < tree.Int && from.IsInteger() && t.Kind == tree.Int || from.Kind == tree.Float && t.Kind == tree.Double {
			return promoted, true
		}
		return converted, true
	case from.IsArithmetic() && t.Kind == tree.Vector:
		return splatted, true
	case t.Kind == tree.Pointer && null(x):
		return converted, true
	case t.Kind == tree.Pointer && from.Kind == tree.Pointer:
		return pointerRank(from, t)
	case t.Kind == tree.Bool && (from.Kind == tree.Pointer || from.Kind == tree.Block):
		return converted, true
	case zeroOpaque(t) && nullInt(x):
		return converted, true
	case t.Kind == tree.Sampler && from.IsInteger():
		_, constant := x.(*tree.Const)
		return converted, constant
	case t.Kind == tree.Image && from.Kind == tree.Image && t.Dim == from.Dim && t.Access == from.Access:
		return exact, true
	}
	return 0, false
}

func nullInt(x tree.Expr) bool {
	k, ok := x.(*tree.Const)
	return ok && k.T.IsInteger() && k.Bits == 0
}

// zeroOpaque reports whether 0 is a value of an opaque type.
func zeroOpaque(t *tree.Type) bool {
	return t.Kind == tree.Event || t.Kind == tree.Queue
}

// pointerRank says how a pointer converts implicitly to another pointer type.
func pointerRank(from, to *tree.Type) (int, bool) {
	if !spaceFits(from.To.Space, to.To.Space) {
		return 0, false
	}
	if from.To.Const && !to.To.Const || from.To.Volatile && !to.To.Volatile {
		return doubtful, from.Elem == to.Elem || void(from, to)
	}
	switch {
	case from.Elem == to.Elem:
		return qualified, true
	case void(from, to):
		return converted, true
	case sameButSign(from.Elem, to.Elem):
		return doubtful, true
	}
	return doubtful, !nestedSpaces(from.Elem, to.Elem)
}

// nestedSpaces reports whether two types are pointers whose targets are in different spaces.
func nestedSpaces(a, b *tree.Type) bool {
	return a.Kind == tree.Pointer && b.Kind == tree.Pointer && (a.To.Space != b.To.Space || nestedSpaces(a.Elem, b.Elem))
}

func void(a, b *tree.Type) bool { return a.Elem.Kind == tree.Void || b.Elem.Kind == tree.Void }

func sameButSign(a, b *tree.Type) bool {
	return a.Lane().IsInteger() && b.Lane().IsInteger() && a.Lanes() == b.Lanes() && a.Lane().Kind.Bits() == b.Lane().Kind.Bits()
}

// spaceFits reports whether a pointer into one address space can be one into another.
func spaceFits(from, to tree.Space) bool {
	return from == to || to == tree.Generic && from != tree.Constant
}

// coerce converts a value implicitly, as assignments, arguments and return do. What says what
// the value is for.
func (c *checker) coerce(x tree.Expr, t *tree.Type, what string) tree.Expr {
	r, ok := c.implicit(x, t)
	if !ok {
		c.refuseConversion(x, t, what)
	}
	from := x.Type()
	if r == doubtful {
		if from.Elem == t.Elem || void(from, t) {
			c.warnf(x.Pos(), "", "%s drops a qualifier: %s becomes %s", what, from, t)
		} else {
			c.warnf(x.Pos(), "Write a cast if it is meant.", "%s is %s, not %s", what, from, t)
		}
	}
	if t.Kind == tree.Pointer && null(x) {
		return &tree.Const{Node: tree.Node{T: t, P: x.Pos()}}
	}
	if zeroOpaque(t) && nullInt(x) {
		return &tree.Const{Node: tree.Node{T: t, P: x.Pos()}}
	}
	if k, ok := x.(*tree.Const); ok && t.Kind == tree.Sampler && from != t {
		return &tree.Const{Node: tree.Node{T: t, P: x.Pos()}, Bits: k.Bits}
	}
	return c.to(x, t, false)
}

// refuseConversion says why a value cannot be converted implicitly.
func (c *checker) refuseConversion(x tree.Expr, t *tree.Type, what string) {
	from := x.Type()
	hint := ""
	switch {
	case from.Kind == tree.Pointer && t.Kind == tree.Pointer && from.To.Space != t.To.Space:
		hint = spaceHint(from.To.Space, t.To.Space)
		c.fail(x.Pos(), hint, "%s points to %s memory, not to %s: it is %s, not %s", what, from.To.Space, t.To.Space, from, t)
	case from.Kind == tree.Vector && t.Kind == tree.Vector:
		hint = "Write convert_" + t.String() + " or as_" + t.String() + "."
		if from.Len != t.Len {
			hint = "Choose lanes, as in v.xy, or write a vector literal."
		}
	case from.Kind == tree.Vector && t.IsArithmetic():
		hint = "Choose a lane, as in v.x."
	case from.Kind == tree.Pointer && t.IsInteger() || from.IsInteger() && t.Kind == tree.Pointer:
		hint = "Write a cast if it is meant."
	case from.Kind == tree.Pointer && from.Elem == t:
		hint = "Write * in front of it."
	case t.Kind == tree.Pointer && t.Elem == from:
		hint = "Write & in front of it."
	case from.Kind == tree.Void:
		c.fail(x.Pos(), "", "%s has no value", what)
	}
	c.fail(x.Pos(), hint, "%s is %s, not %s", what, from, t)
}

func spaceHint(from, to tree.Space) string {
	switch {
	case from == tree.Generic:
		return "Write a cast, or to_global, to_local or to_private, if you know which memory it points to."
	case from == tree.Constant || to == tree.Constant:
		return "A pointer to __constant memory cannot be cast to another address space, nor the reverse: copy the data."
	case to == tree.Private:
		return "Write the address space in front of the type: without one it is __private before OpenCL C 2.0."
	}
	return "A pointer stays in its address space; only a __generic one points to any."
}

// cast checks (T)x, which may be a vector literal.
func (c *checker) cast(n *cc.CastExpression) tree.Expr {
	t, _ := c.typeName(n.TypeName)
	pos := c.pos(n.Token)
	if t.Kind == tree.Vector {
		if p, ok := n.CastExpression.(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionExpr {
			if list, ok := p.ExpressionList.(*cc.ExpressionList); ok && list.ExpressionList != nil {
				return c.vectorLit(t, list, pos)
			}
		}
	}
	x := c.expr(n.CastExpression)
	if t.Kind == tree.Void {
		if tree.IsLvalue(x) && x.Type().Kind == tree.Array {
			x = c.value(x)
		}
		if tree.IsLvalue(x) {
			x = c.load(x.(tree.Lvalue))
		}
		return &tree.Convert{Node: tree.Node{T: t, P: pos}, X: x, Explicit: true}
	}
	return c.castTo(c.value(x), t, pos)
}

// castTo converts as a cast does.
func (c *checker) castTo(x tree.Expr, t *tree.Type, pos tree.Pos) tree.Expr {
	from := x.Type()
	switch {
	case t.Kind == tree.Vector && from.Kind == tree.Vector:
		if from != t {
			hint := "Write convert_" + t.String() + " or as_" + t.String() + "."
			c.fail(pos, hint, "a vector cannot be cast: %s is not a %s", from, t)
		}
		return x
	case t.Kind == tree.Vector && from.IsArithmetic(), t.IsArithmetic() && from.IsArithmetic():
		return c.to(x, t, true)
	case t.Kind == tree.Pointer && from.Kind == tree.Pointer:
		if a, b := from.To.Space, t.To.Space; a != b && !spaceFits(a, b) && !(a == tree.Generic && b != tree.Constant) {
			c.fail(pos, spaceHint(a, b), "a cast from %s to %s changes the address space", from, t)
		}
		if null(x) {
			x = &tree.Const{Node: tree.Node{T: from, P: x.Pos()}}
		}
		return c.to(x, t, true)
	case t.Kind == tree.Pointer && from.IsInteger():
		return foldConvert(&tree.Convert{Node: tree.Node{T: t, P: pos}, X: x, Explicit: true})
	case t.IsInteger() && from.Kind == tree.Pointer:
		return foldConvert(&tree.Convert{Node: tree.Node{T: t, P: pos}, X: x, Explicit: true})
	case from == t && t.Record == nil:
		return x
	}
	if _, ok := c.implicit(x, t); ok && t.Record == nil {
		return c.coerce(x, t, "what is cast")
	}
	hint := ""
	if from.Kind == tree.Vector {
		hint = "Choose a lane, as in v.x, or write as_" + t.String() + "."
	}
	c.fail(pos, hint, "%s cannot be cast to %s", from, t)
	return nil
}

// vectorLit checks (T)(a, b, ...).
func (c *checker) vectorLit(t *tree.Type, list *cc.ExpressionList, pos tree.Pos) tree.Expr {
	lit := &tree.VectorLit{Node: tree.Node{T: t, P: pos}}
	lanes := int64(0)
	for ; list != nil; list = list.ExpressionList {
		x := c.value(c.expr(list.AssignmentExpression))
		lit.Elems = append(lit.Elems, c.vectorElem(x, t))
		lanes += x.Type().Lanes()
	}
	if lanes != t.Len {
		c.fail(pos, "", "%s has %d lanes, and this literal %d", t, t.Len, lanes)
	}
	return lit
}

// vectorElem converts an element of a vector literal.
func (c *checker) vectorElem(x tree.Expr, t *tree.Type) tree.Expr {
	from := x.Type()
	if from.Kind == tree.Vector {
		if from.Elem != t.Elem {
			c.fail(x.Pos(), "Write convert_"+tree.VectorOf(t.Elem, from.Len).String()+".", "%s in a literal of %s", from, t)
		}
		return x
	}
	if !from.IsArithmetic() {
		c.fail(x.Pos(), "", "%s in a literal of %s", from, t)
	}
	return c.to(x, t.Elem, false)
}

// pointers gives two operands of which one at least is a pointer one type.
func (c *checker) pointers(x, y tree.Expr, pos tree.Pos) (tree.Expr, tree.Expr) {
	if x.Type().Kind != tree.Pointer || null(x) && y.Type().Kind == tree.Pointer {
		y, x = c.pointers2(y, x, pos)
		return x, y
	}
	return c.pointers2(x, y, pos)
}

// pointers2 is pointers for an x that is a pointer.
func (c *checker) pointers2(x, y tree.Expr, pos tree.Pos) (tree.Expr, tree.Expr) {
	tx, ty := x.Type(), y.Type()
	if null(y) {
		return x, &tree.Const{Node: tree.Node{T: tx, P: y.Pos()}}
	}
	if ty.Kind != tree.Pointer {
		c.fail(pos, "Write a cast if it is meant.", "one operand is a pointer and the other is not: %s and %s", tx, ty)
	}
	q := tx.To
	q.Const, q.Volatile = q.Const || ty.To.Const, q.Volatile || ty.To.Volatile
	switch {
	case spaceFits(tx.To.Space, ty.To.Space):
		q.Space = ty.To.Space
	case !spaceFits(ty.To.Space, tx.To.Space):
		c.fail(pos, spaceHint(ty.To.Space, tx.To.Space), "pointers to different memories: %s and %s", tx, ty)
	}
	elem := tx.Elem
	switch {
	case void(tx, ty):
		elem = tree.TVoid
	case tx.Elem != ty.Elem:
		if nestedSpaces(tx.Elem, ty.Elem) {
			c.fail(pos, "", "pointers to different memories: %s and %s", tx, ty)
		}
		c.warnf(pos, "Write a cast if it is meant.", "pointers to different types: %s and %s", tx, ty)
	}
	t := c.ts.Pointer(elem, q)
	return c.to(x, t, false), c.to(y, t, false)
}
