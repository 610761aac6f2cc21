package check

import (
	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// initialise checks the initialiser of a variable.
func (c *checker) initialise(v *tree.Var, n *cc.Initializer) {
	t := v.Type
	if t.Kind == tree.Atomic {
		t = t.Elem
	}
	init, t2 := c.initialiser(n, t)
	if v.Type.Kind == tree.Array {
		v.Type = t2
	}
	v.Init = c.sequenced(init)
	if v.Storage == tree.Program {
		v.Init = c.known(v.Init)
	}
	if v.Storage == tree.Program && !c.staticInit(v.Init) {
		c.fail(v.Init.Pos(), "Use numbers and addresses of other variables of the program.", "the initialiser of %s is not constant", v.Name)
	}
}

// initialiser checks an initialiser for a type, and returns the type with its length.
func (c *checker) initialiser(n *cc.Initializer, t *tree.Type) (tree.Expr, *tree.Type) {
	if n.Case == cc.InitializerExpr {
		if t.Kind == tree.Array {
			return c.stringInit(n.AssignmentExpression, t)
		}
		return c.coerce(c.rvalue(n.AssignmentExpression), t, "the initialiser"), t
	}
	pos := c.pos(n)
	if !aggregate(t) {
		return c.bracedScalar(n, t, pos), t
	}
	f := &filler{c: c}
	x, length := f.list(n.InitializerList, t, pos)
	if t.Kind == tree.Array && t.Len == tree.Unsized {
		t = c.ts.Array(t.Elem, length)
		x.T = t
	}
	return x, t
}

func aggregate(t *tree.Type) bool {
	return t.Kind == tree.Array || t.Record != nil
}

// bracedScalar checks { x } for a scalar or a vector, which clang takes as one literal.
func (c *checker) bracedScalar(n *cc.Initializer, t *tree.Type, pos tree.Pos) tree.Expr {
	l := n.InitializerList
	if l == nil || l.Initializer == nil {
		if t.Kind != tree.Vector {
			c.fail(pos, "", "an initialiser without a value")
		}
		return c.to(&tree.Const{Node: tree.Node{T: tree.TInt, P: pos}}, t, false)
	}
	if t.Kind == tree.Vector {
		lit := &tree.VectorLit{Node: tree.Node{T: t, P: pos}}
		lanes := int64(0)
		for ; l != nil; l = l.InitializerList {
			if l.Designation != nil {
				c.fail(pos, "", "an initialiser of lanes has values only")
			}
			var x tree.Expr
			if l.Initializer.Case == cc.InitializerExpr {
				x = c.vectorElem(c.rvalue(l.Initializer.AssignmentExpression), t)
			} else {
				x = c.bracedScalar(l.Initializer, t.Elem, pos)
			}
			lanes += x.Type().Lanes()
			lit.Elems = append(lit.Elems, x)
		}
		if lanes != t.Len {
			c.fail(pos, "", "%s has %d lanes, and this initialiser %d", t, t.Len, lanes)
		}
		return lit
	}
	if l.InitializerList != nil {
		c.fail(pos, "", "%s takes one value, and this initialiser has more", t)
	}
	x, _ := c.initialiser(l.Initializer, t)
	return x
}

// stringInit checks the initialiser of an array without braces, which can be a string.
func (c *checker) stringInit(n cc.ExpressionNode, t *tree.Type) (tree.Expr, *tree.Type) {
	x := c.expr(n)
	s, ok := x.(*tree.StringLit)
	if !ok || t.Elem.Kind != tree.Char && t.Elem.Kind != tree.UChar {
		c.fail(x.Pos(), "Write { ... }.", "an array is initialised by a list in braces")
	}
	length := int64(len(s.Value)) + 1
	switch {
	case t.Len == tree.Unsized:
		t = c.ts.Array(t.Elem, length)
	case length-1 > t.Len:
		c.fail(x.Pos(), "", "the string has %d characters, and the array room for %d", length-1, t.Len)
	}
	return s, t
}

// filler walks through an aggregate as C's rules for initialisers without all their braces say.
type filler struct {
	c *checker
	l *cc.InitializerList
}

// list checks the list in a pair of braces.
func (f *filler) list(l *cc.InitializerList, t *tree.Type, pos tree.Pos) (*tree.InitList, int64) {
	inner := &filler{c: f.c, l: l}
	x, length := inner.fill(t, pos, true)
	if inner.l != nil {
		f.c.warnf(f.c.pos(inner.l), "", "the initialiser has more values than %s has room for", t)
	}
	return x, length
}

// fill takes as many initialisers as an aggregate has room for. At the outermost level of a pair
// of braces designators are taken, too.
func (f *filler) fill(t *tree.Type, pos tree.Pos, outermost bool) (*tree.InitList, int64) {
	x := &tree.InitList{Node: tree.Node{T: t, P: pos}}
	return x, f.fillFrom(x, t, 0, outermost)
}

// fillFrom does so from element or member next on, and returns how many there are now.
func (f *filler) fillFrom(x *tree.InitList, t *tree.Type, next int64, outermost bool) (length int64) {
	for f.l != nil {
		item := f.l
		if d := item.Designation; d != nil && d.DesignatorList != nil {
			if !outermost {
				break
			}
			next = f.designated(x, t, d.DesignatorList, item, true)
			length = max(length, next)
			continue
		}
		if next >= room(t) {
			break
		}
		f.c.put(x, t, next, f.element(memberType(t, next), x.P))
		next = f.c.after(t, next)
		length = max(length, next)
	}
	return length
}

// after returns the member after one: a union has but one.
func (c *checker) after(t *tree.Type, i int64) int64 {
	if t.Kind == tree.Union {
		return 1 << 40
	}
	return i + 1
}

// room is how many initialisers an aggregate takes.
func room(t *tree.Type) int64 {
	switch {
	case t.Kind == tree.Array && t.Len == tree.Unsized:
		return maxObject
	case t.Kind == tree.Array:
		return t.Len
	case t.Kind == tree.Union:
		return min(1, int64(len(t.Record.Fields)))
	}
	return int64(len(t.Record.Fields))
}

func memberType(t *tree.Type, i int64) *tree.Type {
	if t.Kind == tree.Array {
		return t.Elem
	}
	return t.Record.Fields[i].Type
}

// maxListed bounds the elements of a list that designators leave gaps in.
const maxListed = 1 << 20

// put sets an element of a list.
func (c *checker) put(x *tree.InitList, t *tree.Type, i int64, e tree.Expr) {
	if t.Kind == tree.Union {
		x.Field, x.Elems = int(i), []tree.Expr{e}
		return
	}
	if i >= maxListed {
		c.fail(e.Pos(), "Fill the array in a loop.", "an initialiser of more than %d elements", maxListed)
	}
	for int64(len(x.Elems)) <= i {
		x.Elems = append(x.Elems, nil)
	}
	x.Elems[i] = e
}

// element takes what initialises one element or member.
func (f *filler) element(t *tree.Type, pos tree.Pos) tree.Expr {
	c, n := f.c, f.l.Initializer
	if n.Case == cc.InitializerInitList {
		f.l = f.l.InitializerList
		x, _ := c.initialiser(n, t)
		return x
	}
	if t.Kind == tree.Array {
		if isString(n.AssignmentExpression) && (t.Elem.Kind == tree.Char || t.Elem.Kind == tree.UChar) {
			f.l = f.l.InitializerList
			x, _ := c.stringInit(n.AssignmentExpression, t)
			return x
		}
		x, _ := f.fill(t, pos, false)
		return x
	}
	if t.Record != nil {
		v := c.rvalue(n.AssignmentExpression)
		if v.Type() == t {
			f.l = f.l.InitializerList
			return v
		}
		x, _ := f.fill(t, pos, false)
		return x
	}
	f.l = f.l.InitializerList
	return c.coerce(c.rvalue(n.AssignmentExpression), t, "the initialiser")
}

func isString(n cc.ExpressionNode) bool {
	p, ok := n.(*cc.PrimaryExpression)
	return ok && p.Case == cc.PrimaryExpressionString
}

// designated takes an initialiser with a designator, and returns what comes after it. What follows it is for what follows in the innermost
// aggregate that it names a part of, then in the one around that (C99 6.7.8p17); of what it names several of, only the last has it.
func (f *filler) designated(x *tree.InitList, t *tree.Type, d *cc.DesignatorList, item *cc.InitializerList, goesOn bool) int64 {
	c := f.c
	at := c.pos(d)
	lo, hi := f.designator(t, d.Designator)
	rest := d.DesignatorList
	if t.Record != nil && t.Record.Fields[lo].Name == "" { // a member of a member without a name
		rest = d
	}
	for i := lo; i <= hi; i++ {
		f.l = item
		m := memberType(t, i)
		if rest == nil {
			c.put(x, t, i, f.plain(m, at))
			continue
		}
		if !aggregate(m) {
			c.fail(at, "", "%s has no members", m)
		}
		sub := c.partly(x, t, i, m, at)
		if next := f.designated(sub, m, rest, item, goesOn && lo == hi); goesOn && lo == hi {
			f.fillFrom(sub, m, next, false)
		}
		c.put(x, t, i, sub)
	}
	return c.after(t, hi)
}

// partly returns the list of a part of which a designator names a part: that which is there already, or a new one.
func (c *checker) partly(x *tree.InitList, t *tree.Type, i int64, m *tree.Type, at tree.Pos) *tree.InitList {
	var old tree.Expr
	switch {
	case t.Kind == tree.Union && len(x.Elems) > 0 && x.Field == int(i):
		old = x.Elems[0]
	case t.Kind != tree.Union && int64(len(x.Elems)) > i:
		old = x.Elems[i]
	}
	switch old := old.(type) {
	case nil:
		return &tree.InitList{Node: tree.Node{T: m, P: at}}
	case *tree.InitList:
		return old
	}
	c.fail(at, "Write all its members in braces.", "the initialiser changes a part of what it has initialised as a whole, by one expression")
	return nil
}

// plain takes the initialiser after a designator.
func (f *filler) plain(t *tree.Type, pos tree.Pos) tree.Expr {
	saved := *f.l
	one := saved
	one.Designation = nil
	f.l = &one
	return f.element(t, pos)
}

// designator returns the elements that a designator names.
func (f *filler) designator(t *tree.Type, d *cc.Designator) (lo, hi int64) {
	c := f.c
	pos := c.pos(d)
	switch d.Case {
	case cc.DesignatorIndex, cc.DesignatorIndex2:
		if t.Kind != tree.Array {
			c.fail(pos, "", "%s is not an array", t)
		}
		lo = c.constant(d.ConstantExpression, "an index")
		hi = lo
		if d.Case == cc.DesignatorIndex2 {
			hi = c.constant(d.ConstantExpression2, "an index")
		}
		if lo < 0 || hi < lo || hi >= room(t) || hi >= maxListed {
			c.fail(pos, "", "the array has no element %d", hi)
		}
		return lo, hi
	}
	name := d.Token2.SrcStr()
	if d.Case == cc.DesignatorField2 {
		name = d.Token.SrcStr()
	}
	if t.Record == nil {
		c.fail(pos, "", "%s has no members", t)
	}
	list := path(t.Record, name)
	if list == nil {
		c.fail(pos, "", "%s has no member %s", t, name)
	}
	return int64(list[0]), int64(list[0])
}

// compoundLit checks (T){...}.
func (c *checker) compoundLit(n *cc.PostfixExpression) tree.Expr {
	t, q := c.typeName(n.TypeName)
	pos := c.pos(n.Token)
	if !aggregate(t) {
		return c.bracedScalar(&cc.Initializer{Case: cc.InitializerInitList, InitializerList: n.InitializerList, Token: n.Token3}, t, pos)
	}
	if !t.IsComplete() && !(t.Kind == tree.Array && t.Elem.IsComplete()) {
		c.fail(pos, "", "a literal of %s, which is declared but not defined", t)
	}
	f := &filler{c: c}
	x, length := f.list(n.InitializerList, t, pos)
	if t.Kind == tree.Array && t.Len == tree.Unsized {
		t = c.ts.Array(t.Elem, length)
		x.T = t
	}
	space := tree.Private
	if c.fn == nil {
		space = q.Space
		if space == tree.Private {
			space = tree.Constant
		}
	}
	return &tree.CompoundLit{Node: tree.Node{T: t, P: pos}, Space: space, Init: x}
}

// compoundLiteral returns the literal (T){...} that an expression is, perhaps in parentheses, or nil.
func compoundLiteral(n cc.ExpressionNode) *cc.PostfixExpression {
	switch n := n.(type) {
	case *cc.PostfixExpression:
		if n.Case == cc.PostfixExpressionComplit {
			return n
		}
	case *cc.PrimaryExpression:
		if n.Case == cc.PrimaryExpressionExpr {
			return compoundLiteral(n.ExpressionList)
		}
	}
	return nil
}

// literalPlace checks a literal (T){...} whose address is taken: of a scalar or vector, too, it is an object then.
func (c *checker) literalPlace(n *cc.PostfixExpression) tree.Expr {
	x := c.compoundLit(n)
	if tree.IsLvalue(x) || c.fn == nil {
		return x
	}
	return &tree.CompoundLit{Node: tree.Node{T: x.Type(), P: x.Pos()}, Space: tree.Private, Init: x}
}

// staticInit reports whether an initialiser is known before the program runs.
func (c *checker) staticInit(x tree.Expr) bool {
	all := func(list []tree.Expr) bool {
		for _, e := range list {
			if e != nil && !c.staticInit(e) {
				return false
			}
		}
		return true
	}
	switch x := x.(type) {
	case *tree.Const, *tree.StringLit:
		return true
	case *tree.InitList:
		return all(x.Elems)
	case *tree.VectorLit:
		return all(x.Elems)
	case *tree.Splat:
		return c.staticInit(x.X)
	case *tree.Convert:
		return c.staticInit(x.X)
	case *tree.Unary:
		return c.staticInit(x.X)
	case *tree.Binary:
		return c.staticInit(x.X) && c.staticInit(x.Y)
	case *tree.Logic:
		return c.staticInit(x.X) && c.staticInit(x.Y)
	case *tree.Cond:
		return c.staticInit(x.C) && c.staticInit(x.X) && c.staticInit(x.Y)
	case *tree.PtrAdd:
		return c.staticInit(x.X) && c.staticInit(x.I)
	case *tree.AddrOf:
		return c.staticPlace(x.X)
	case *tree.Decay:
		return c.staticPlace(x.X)
	case *tree.BlockLit:
		return len(x.Captures) == 0
	case *tree.Swizzle:
		return c.staticInit(x.X)
	}
	return false
}

// staticPlace reports whether the address of a place is known before the program runs.
func (c *checker) staticPlace(x tree.Expr) bool {
	switch x := x.(type) {
	case *tree.VarRef:
		return x.Var.Storage == tree.Program
	case *tree.StringLit, *tree.CompoundLit:
		return true
	case *tree.Member:
		return c.staticPlace(x.X)
	case *tree.Index:
		return c.staticInit(x.X) && c.staticInit(x.I)
	case *tree.Deref:
		return c.staticInit(x.X)
	}
	return false
}
