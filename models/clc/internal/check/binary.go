package check

import (
	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// binary checks x op y.
func (c *checker) binary(op tree.BinaryOp, at cc.Token, l, r cc.ExpressionNode) tree.Expr {
	x, y := c.rvalue(l), c.rvalue(r)
	return c.operator2(op, x, y, c.pos(at))
}

// operator2 returns x op y for values.
func (c *checker) operator2(op tree.BinaryOp, x, y tree.Expr, pos tree.Pos) tree.Expr {
	tx, ty := x.Type(), y.Type()
	pointer := tx.Kind == tree.Pointer || ty.Kind == tree.Pointer
	switch op {
	case tree.Add:
		if tx.Kind == tree.Pointer && ty.IsInteger() {
			return c.ptrAdd(x, y, false, pos)
		}
		if ty.Kind == tree.Pointer && tx.IsInteger() {
			return c.ptrAdd(y, x, false, pos)
		}
	case tree.Sub:
		if tx.Kind == tree.Pointer && ty.IsInteger() {
			return c.ptrAdd(x, y, true, pos)
		}
		if tx.Kind == tree.Pointer && ty.Kind == tree.Pointer {
			return c.ptrDiff(x, y, pos)
		}
	case tree.Lt, tree.Gt, tree.Le, tree.Ge, tree.Eq, tree.Ne:
		if pointer {
			x, y = c.pointers(x, y, pos)
			return &tree.Binary{Node: tree.Node{T: tree.TInt, P: pos}, Op: op, X: x, Y: y}
		}
		return c.comparison(op, x, y, pos)
	case tree.Shl, tree.Shr:
		return c.shift(op, x, y, pos)
	}
	return c.arithmetic(op, x, y, pos)
}

// arithmetic returns x op y for numbers.
func (c *checker) arithmetic(op tree.BinaryOp, x, y tree.Expr, pos tree.Pos) tree.Expr {
	integers := op == tree.Rem || op == tree.And || op == tree.Or || op == tree.Xor
	for _, z := range []tree.Expr{x, y} {
		if integers && z.Type().Lane().IsFloating() {
			hint := ""
			if op == tree.Rem {
				hint = "Write fmod."
			}
			c.fail(pos, hint, "this operator does not take %s and %s", x.Type(), y.Type())
		}
	}
	x, y = c.usual(x, y, pos)
	if (op == tree.Div || op == tree.Rem) && x.Type().IsInteger() && nullInt(y) {
		c.warnf(pos, "", "a division by zero")
	}
	return c.fold2(&tree.Binary{Node: tree.Node{T: x.Type(), P: pos}, Op: op, X: x, Y: y})
}

// comparison returns x op y for a comparison of numbers.
func (c *checker) comparison(op tree.BinaryOp, x, y tree.Expr, pos tree.Pos) tree.Expr {
	if k := x.Type().Kind; k == y.Type().Kind && (op == tree.Eq || op == tree.Ne) && (k == tree.ClkEvent || k == tree.ReserveID || k == tree.Event || k == tree.Queue) {
		return &tree.Binary{Node: tree.Node{T: tree.TInt, P: pos}, Op: op, X: x, Y: y}
	}
	x, y = c.usual(x, y, pos)
	t := tree.TInt
	if x.Type().Kind == tree.Vector {
		t = masks(x.Type())
	}
	return c.fold2(&tree.Binary{Node: tree.Node{T: t, P: pos}, Op: op, X: x, Y: y})
}

// shift returns x << y or x >> y.
func (c *checker) shift(op tree.BinaryOp, x, y tree.Expr, pos tree.Pos) tree.Expr {
	tx, ty := x.Type(), y.Type()
	if !tx.Lane().IsInteger() || !ty.Lane().IsInteger() {
		c.fail(pos, "", "a shift does not take %s and %s", tx, ty)
	}
	if ty.Kind == tree.Vector && ty.Len != tx.Lanes() {
		c.fail(pos, "", "a shift of %s by %s", tx, ty)
	}
	x, y = c.promote(x), c.promote(y)
	if tx.Kind == tree.Vector && ty.Kind != tree.Vector {
		y = c.splat(y, tree.VectorOf(y.Type(), tx.Len))
	}
	return c.fold2(&tree.Binary{Node: tree.Node{T: x.Type(), P: pos}, Op: op, X: x, Y: y})
}

func (c *checker) ptrAdd(p, i tree.Expr, sub bool, pos tree.Pos) tree.Expr {
	c.counted(p.Type(), pos)
	return &tree.PtrAdd{Node: tree.Node{T: p.Type(), P: pos}, X: p, I: i, Sub: sub}
}

// counted sees that a pointer can be counted with.
func (c *checker) counted(t *tree.Type, pos tree.Pos) {
	if !t.Elem.IsComplete() && t.Elem.Kind != tree.Void { // a void counts as one byte, as in GNU C
		c.fail(pos, "Cast it to a pointer to char first.", "arithmetic on a pointer to %s", t.Elem)
	}
}

func (c *checker) ptrDiff(x, y tree.Expr, pos tree.Pos) tree.Expr {
	tx, ty := x.Type(), y.Type()
	if tx.Elem != ty.Elem {
		c.fail(pos, "", "the difference of pointers to different types: %s and %s", tx, ty)
	}
	c.counted(tx, pos)
	x, y = c.pointers(x, y, pos)
	return &tree.PtrDiff{Node: tree.Node{T: tree.TLong, P: pos}, X: x, Y: y}
}

// assignOps are the operators of op=.
var assignOps = map[cc.AssignmentExpressionCase]tree.BinaryOp{
	cc.AssignmentExpressionMul: tree.Mul, cc.AssignmentExpressionDiv: tree.Div, cc.AssignmentExpressionMod: tree.Rem,
	cc.AssignmentExpressionAdd: tree.Add, cc.AssignmentExpressionSub: tree.Sub, cc.AssignmentExpressionLsh: tree.Shl,
	cc.AssignmentExpressionRsh: tree.Shr, cc.AssignmentExpressionAnd: tree.And, cc.AssignmentExpressionXor: tree.Xor, cc.AssignmentExpressionOr: tree.Or,
}

// assignment checks = and op=.
func (c *checker) assignment(n *cc.AssignmentExpression) tree.Expr {
	pos := c.pos(n.Token)
	l := c.writable(c.expr(n.UnaryExpression), pos)
	r := c.rvalue(n.AssignmentExpression)
	t := stored(l)
	if n.Case == cc.AssignmentExpressionAssign {
		switch t.Kind {
		case tree.Sampler, tree.Image, tree.Queue, tree.Pipe:
			if t.Kind != tree.Queue {
				c.fail(pos, "", "%s cannot be assigned", t)
			}
		case tree.Block:
			c.fail(pos, "Declare another one.", "a block cannot be changed")
		}
		return &tree.Assign{Node: tree.Node{T: t, P: pos}, L: l, R: c.coerce(r, t, "the value")}
	}
	return c.assignOp(assignOps[n.Case], l, r, pos)
}

// stored is the type of the values that a place takes.
func stored(l tree.Lvalue) *tree.Type {
	if t := l.Type(); t.Kind == tree.Atomic {
		return t.Elem
	}
	return l.Type()
}

// assignOp checks l op= r.
func (c *checker) assignOp(op tree.BinaryOp, l tree.Lvalue, r tree.Expr, pos tree.Pos) tree.Expr {
	t := stored(l)
	node := tree.Node{T: t, P: pos}
	if l.Type().Kind == tree.Atomic && !t.IsInteger() && (op == tree.Mul || op == tree.Div) && false {
		return nil
	}
	if t.Kind == tree.Pointer {
		if op != tree.Add && op != tree.Sub || !r.Type().IsInteger() {
			c.fail(pos, "", "this operator does not take %s and %s", t, r.Type())
		}
		c.counted(t, pos)
		return &tree.AssignOp{Node: node, Op: op, L: l, R: r, Compute: t}
	}
	// A value that stands for that of l; what the operator makes of it tells the types.
	old := &tree.Load{Node: tree.Node{T: t, P: l.Pos()}, X: l}
	if t.IsArithmetic() && r.Type().Kind == tree.Vector {
		c.fail(pos, "Choose a lane, as in v.x.", "%s op= %s: the vector does not fit", t, r.Type())
	}
	b, ok := c.operator2(op, old, r, pos).(*tree.Binary)
	if !ok {
		c.fail(pos, "", "this operator does not take %s and %s", t, r.Type())
	}
	return &tree.AssignOp{Node: node, Op: op, L: l, R: b.Y, Compute: b.X.Type()}
}

// incDec checks ++ and --.
func (c *checker) incDec(x tree.Expr, dec, post bool, pos tree.Pos) tree.Expr {
	l := c.writable(x, pos)
	t := stored(l)
	switch {
	case t.Kind == tree.Pointer:
		c.counted(t, pos)
	case !t.Lane().IsArithmetic():
		c.fail(pos, "", "++ and -- do not take %s", t)
	case t.Kind == tree.Vector && t.Elem.IsFloating():
		c.fail(pos, "Write += 1 or -= 1.", "++ and -- do not take %s", t)
	case t.Kind == tree.Bool && dec:
		c.fail(pos, "", "-- does not take a bool")
	}
	return &tree.IncDec{Node: tree.Node{T: t, P: pos}, L: l, Dec: dec, Post: post}
}

// writable sees that an expression is a place that can be written.
func (c *checker) writable(x tree.Expr, pos tree.Pos) tree.Lvalue {
	if !tree.IsLvalue(x) {
		c.fail(pos, "", "only an object in memory can be assigned to")
	}
	l := x.(tree.Lvalue)
	q := l.Place()
	switch {
	case q.Space == tree.Constant:
		c.fail(pos, "Use __global memory.", "__constant memory cannot be written")
	case c.capturedVar(x):
		c.fail(pos, "Write through a pointer to __global or __local memory.", "a block has copies of the variables around it, which cannot be written")
	case q.Const || hasConst(x.Type()):
		c.fail(pos, "Remove const where it is declared.", "a const object cannot be written")
	case x.Type().Kind == tree.Array:
		c.fail(pos, "Assign the elements.", "an array cannot be assigned")
	}
	if s, ok := x.(*tree.Swizzle); ok {
		seen := [16]bool{}
		for _, i := range s.Lanes {
			if seen[i] {
				c.fail(pos, "", "a lane is written twice")
			}
			seen[i] = true
		}
	}
	if x.Type().Kind == tree.Atomic && x.Type().Flag {
		c.fail(pos, "Use atomic_flag_test_and_set or atomic_flag_clear.", "an atomic_flag cannot be assigned")
	}
	return l
}

// hasConst reports whether a record has a member that is const.
func hasConst(t *tree.Type) bool {
	if t.Record == nil {
		return false
	}
	for _, f := range t.Record.Fields {
		if f.Quals.Const || hasConst(innermost(f.Type)) {
			return true
		}
	}
	return false
}

// capturedVar reports whether a place is in a copy that a block has.
func (c *checker) capturedVar(x tree.Expr) bool {
	for {
		switch y := x.(type) {
		case *tree.Member:
			x = y.X
		case *tree.Swizzle:
			x = y.X
		case *tree.Lane:
			x = y.X
		case *tree.VarRef:
			if c.fn == nil {
				return false
			}
			for _, in := range c.fn.captured {
				if in == y.Var {
					return true
				}
			}
			return false
		default:
			return false
		}
	}
}
