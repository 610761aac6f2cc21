package check

import (
	"math"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// truncate brings a value to the width of an integer kind, extended to 64 bits by its sign.
func truncate(v uint64, k tree.Kind) uint64 {
	switch k {
	case tree.Bool:
		if v != 0 {
			return 1
		}
		return 0
	case tree.Char:
		return uint64(int64(int8(v)))
	case tree.UChar:
		return uint64(uint8(v))
	case tree.Short:
		return uint64(int64(int16(v)))
	case tree.UShort:
		return uint64(uint16(v))
	case tree.Int:
		return uint64(int64(int32(v)))
	case tree.UInt:
		return uint64(uint32(v))
	}
	return v
}

// roundTo rounds a value to a floating kind, to nearest even.
func roundTo(v float64, k tree.Kind) float64 {
	switch k {
	case tree.Float:
		return float64(float32(v))
	case tree.Half:
		return roundHalf(v)
	}
	return v
}

// roundHalf rounds to eleven bits and the exponents of a half.
func roundHalf(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	_, e := math.Frexp(v) // |v| is in [2^(e-1), 2^e)
	ulp := max(e-11, -24)
	v = math.Ldexp(math.RoundToEven(math.Ldexp(v, -ulp)), ulp)
	if math.Abs(v) > 65504 {
		return math.Inf(int(math.Copysign(1, v)))
	}
	return v
}

// toFloat returns an integer constant as a number.
func toFloat(v uint64, k tree.Kind) float64 {
	if k.IsSigned() {
		return float64(int64(v))
	}
	return float64(v)
}

// foldConvert returns the constant that a conversion of one is, or the conversion.
func foldConvert(x *tree.Convert) tree.Expr {
	k, ok := x.X.(*tree.Const)
	if !ok {
		return x
	}
	from, to := k.T, x.T
	out := &tree.Const{Node: tree.Node{T: to, P: k.P}}
	switch {
	case from.IsInteger() && to.IsInteger():
		out.Bits = truncate(k.Bits, to.Kind)
	case from.IsInteger() && to.IsFloating():
		if to.Kind == tree.Float && from.Kind.Bits() == 64 { // one rounding, not two
			if from.Kind.IsSigned() {
				out.F = float64(float32(int64(k.Bits)))
			} else {
				out.F = float64(float32(k.Bits))
			}
			return out
		}
		out.F = roundTo(toFloat(k.Bits, from.Kind), to.Kind)
	case from.IsFloating() && to.IsFloating():
		out.F = roundTo(k.F, to.Kind)
	case from.IsFloating() && to.Kind == tree.Bool:
		if k.F != 0 {
			out.Bits = 1
		}
	case from.IsFloating() && to.IsInteger():
		v := math.Trunc(k.F)
		switch {
		case to.Kind.IsSigned() && v >= -0x1p63 && v < 0x1p63:
			out.Bits = uint64(int64(v))
		case v >= 0 && v < 0x1p64:
			out.Bits = uint64(v)
		case v > -0x1p63 && v < 0:
			out.Bits = uint64(int64(v))
		default:
			return x // undefined
		}
		if fit := truncate(out.Bits, to.Kind); fit != out.Bits {
			return x
		}
	case from.Kind == tree.Pointer && k.Bits == 0 && (to.Kind == tree.Pointer || to.IsInteger()):
	case from.IsInteger() && to.Kind == tree.Pointer && k.Bits == 0:
		if to.Elem.Kind != tree.Void { // (void*)0 remains a null pointer constant by its type
			return out
		}
		return out
	default:
		return x
	}
	return out
}

// fold1 returns the constant that an operator on one is, or the operation.
func (c *checker) fold1(x *tree.Unary) tree.Expr {
	k, ok := x.X.(*tree.Const)
	if !ok {
		return x
	}
	out := &tree.Const{Node: x.Node}
	switch {
	case x.Op == tree.Not && (k.T.IsInteger() || k.T.Kind == tree.Pointer):
		out.Bits = truth(k.Bits == 0)
	case x.Op == tree.Not && k.T.IsFloating():
		out.Bits = truth(k.F == 0)
	case x.Op == tree.Neg && k.T.IsFloating():
		out.F = -k.F
	case x.Op == tree.Neg && k.T.IsInteger():
		out.Bits = truncate(-k.Bits, k.T.Kind)
	case x.Op == tree.Cpl:
		out.Bits = truncate(^k.Bits, k.T.Kind)
	default:
		return x
	}
	return out
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// fold2 returns the constant that an operation on two is, or the operation.
func (c *checker) fold2(x *tree.Binary) tree.Expr {
	a, ok := x.X.(*tree.Const)
	b, ok2 := x.Y.(*tree.Const)
	if !ok || !ok2 {
		return x
	}
	out := &tree.Const{Node: x.Node}
	switch {
	case a.T.IsFloating():
		if !foldFloats(x.Op, a.F, b.F, out) {
			return x
		}
		out.F = roundTo(out.F, x.T.Kind)
	case a.T.IsInteger():
		if !foldInts(x.Op, a.T.Kind, a.Bits, b.Bits, out) {
			return x
		}
		out.Bits = truncate(out.Bits, x.T.Kind)
	default:
		return x
	}
	return out
}

func foldFloats(op tree.BinaryOp, a, b float64, out *tree.Const) bool {
	switch op {
	case tree.Add:
		out.F = a + b
	case tree.Sub:
		out.F = a - b
	case tree.Mul:
		out.F = a * b
	case tree.Div:
		out.F = a / b
	case tree.Lt:
		out.Bits = truth(a < b)
	case tree.Gt:
		out.Bits = truth(a > b)
	case tree.Le:
		out.Bits = truth(a <= b)
	case tree.Ge:
		out.Bits = truth(a >= b)
	case tree.Eq:
		out.Bits = truth(a == b)
	case tree.Ne:
		out.Bits = truth(a != b)
	default:
		return false
	}
	return true
}

func foldInts(op tree.BinaryOp, k tree.Kind, a, b uint64, out *tree.Const) bool {
	signed := k.IsSigned()
	less := a < b
	if signed {
		less = int64(a) < int64(b)
	}
	switch op {
	case tree.Add:
		out.Bits = a + b
	case tree.Sub:
		out.Bits = a - b
	case tree.Mul:
		out.Bits = a * b
	case tree.Div, tree.Rem:
		return foldDivision(op, signed, a, b, out)
	case tree.Shl, tree.Shr:
		n := b & uint64(k.Bits()-1)
		switch {
		case op == tree.Shl:
			out.Bits = a << n
		case signed:
			out.Bits = uint64(int64(a) >> n)
		default:
			out.Bits = a >> n
		}
	case tree.And:
		out.Bits = a & b
	case tree.Or:
		out.Bits = a | b
	case tree.Xor:
		out.Bits = a ^ b
	case tree.Lt:
		out.Bits = truth(less)
	case tree.Gt:
		out.Bits = truth(!less && a != b)
	case tree.Le:
		out.Bits = truth(less || a == b)
	case tree.Ge:
		out.Bits = truth(!less)
	case tree.Eq:
		out.Bits = truth(a == b)
	case tree.Ne:
		out.Bits = truth(a != b)
	}
	return true
}

// foldDivision divides, unless that is undefined.
func foldDivision(op tree.BinaryOp, signed bool, a, b uint64, out *tree.Const) bool {
	switch {
	case b == 0 || signed && int64(a) == math.MinInt64 && int64(b) == -1:
		return false
	case signed && op == tree.Div:
		out.Bits = uint64(int64(a) / int64(b))
	case signed:
		out.Bits = uint64(int64(a) % int64(b))
	case op == tree.Div:
		out.Bits = a / b
	default:
		out.Bits = a % b
	}
	return true
}

// decided returns the truth of a constant.
func decided(x tree.Expr) (value, ok bool) {
	k, ok := x.(*tree.Const)
	if !ok {
		return false, false
	}
	if k.T.IsFloating() {
		return k.F != 0, true
	}
	return k.Bits != 0, true
}

// foldLogic returns the constant that && or || of constants is, or the operation.
func foldLogic(x *tree.Logic) tree.Expr {
	a, ok := decided(x.X)
	if !ok {
		return x
	}
	if a != x.Or {
		b, ok := decided(x.Y)
		if !ok {
			return x
		}
		a = b
	}
	return &tree.Const{Node: x.Node, Bits: truth(a)}
}

// foldCond returns the constant that ?: of constants is, or the expression.
func foldCond(x *tree.Cond) tree.Expr {
	a, ok := decided(x.C)
	if !ok {
		return x
	}
	y := x.Y
	if a {
		y = x.X
	}
	if k, ok := y.(*tree.Const); ok {
		out := *k
		out.P = x.P
		return &out
	}
	return x
}

// known puts the values of constant variables in the place of their names, where an expression must
// be constant: const int n = 4; int a[n];
func (c *checker) known(x tree.Expr) tree.Expr {
	switch x := x.(type) {
	case *tree.Load:
		v, ok := x.X.(*tree.VarRef)
		if !ok || v.Var.Init == nil || !v.Var.Quals.Const && v.Var.Quals.Space != tree.Constant || v.Var.Quals.Volatile || v.Var.Type.Kind == tree.Atomic {
			return x
		}
		if init := c.initial(v.Var); init != nil && c.staticInit(init) {
			return init
		}
	case *tree.Convert:
		return foldConvert(&tree.Convert{Node: x.Node, X: c.known(x.X), Explicit: x.Explicit})
	case *tree.Unary:
		return c.fold1(&tree.Unary{Node: x.Node, Op: x.Op, X: c.known(x.X)})
	case *tree.Binary:
		return c.fold2(&tree.Binary{Node: x.Node, Op: x.Op, X: c.known(x.X), Y: c.known(x.Y)})
	case *tree.Logic:
		return foldLogic(&tree.Logic{Node: x.Node, Or: x.Or, X: c.known(x.X), Y: c.known(x.Y)})
	case *tree.Cond:
		return foldCond(&tree.Cond{Node: x.Node, C: c.known(x.C), X: c.known(x.X), Y: c.known(x.Y)})
	case *tree.Splat:
		return &tree.Splat{Node: x.Node, X: c.known(x.X)}
	case *tree.VectorLit:
		return &tree.VectorLit{Node: x.Node, Elems: c.knownList(x.Elems)}
	case *tree.InitList:
		return &tree.InitList{Node: x.Node, Field: x.Field, Elems: c.knownList(x.Elems)}
	}
	return x
}

// initial returns what initialises a constant variable, as known; nil if that is the variable itself.
func (c *checker) initial(v *tree.Var) tree.Expr {
	x, ok := c.values[v]
	if !ok {
		c.values[v] = nil
		x = c.known(v.Init)
		c.values[v] = x
	}
	return x
}

func (c *checker) knownList(list []tree.Expr) []tree.Expr {
	out := make([]tree.Expr, len(list))
	for i, x := range list {
		if x != nil {
			out[i] = c.known(x)
		}
	}
	return out
}
