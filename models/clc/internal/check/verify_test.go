package check

import (
	"testing"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// verify checks the promises of package tree on a unit.
func verify(t *testing.T, u *tree.Unit) {
	t.Helper()
	seen := map[*tree.Func]bool{}
	for _, f := range u.Funcs {
		for _, g := range f.Calls {
			if !seen[g] {
				t.Errorf("%s is listed before %s, which it calls", f.Name, g.Name)
			}
		}
		seen[f] = true
		verifyFunc(t, f)
	}
}

func verifyFunc(t *testing.T, f *tree.Func) {
	if f.Body == nil {
		t.Errorf("%s has no body", f.Name)
		return
	}
	tree.Walk(f.Body, func(n any) {
		if x, ok := n.(tree.Expr); ok {
			verifyExpr(t, x)
		}
		if l, ok := n.(*tree.BlockLit); ok {
			verifyFunc(t, l.Func)
		}
	})
}

// value sees that an operand is a value, not a place.
func value(t *testing.T, x tree.Expr, list ...tree.Expr) {
	for _, y := range list {
		if y == nil {
			t.Errorf("%T at %v has no operand", x, x.Pos())
		} else if tree.IsLvalue(y) {
			t.Errorf("%T at %v has a place as its operand: %T", x, x.Pos(), y)
		}
	}
}

func verifyExpr(t *testing.T, x tree.Expr) {
	if x.Type() == nil {
		t.Errorf("%T at %v has no type", x, x.Pos())
		return
	}
	same := func(a, b *tree.Type) {
		if a != b {
			t.Errorf("%T at %v: %s and %s", x, x.Pos(), a, b)
		}
	}
	switch x := x.(type) {
	case *tree.Load:
		if !tree.IsLvalue(x.X) {
			t.Errorf("a value is loaded at %v", x.P)
		}
	case *tree.Deref:
		value(t, x, x.X)
		same(x.X.Type().Elem, x.T)
	case *tree.Index:
		value(t, x, x.X, x.I)
		same(x.X.Type().Elem, x.T)
		if !x.I.Type().IsInteger() {
			t.Errorf("index at %v: %s", x.P, x.I.Type())
		}
	case *tree.Binary:
		value(t, x, x.X, x.Y)
		if x.Op == tree.Shl || x.Op == tree.Shr {
			if x.X.Type().Lanes() != x.Y.Type().Lanes() {
				t.Errorf("shift at %v: %s and %s", x.P, x.X.Type(), x.Y.Type())
			}
			same(x.X.Type(), x.T)
			return
		}
		same(x.X.Type(), x.Y.Type())
		if k := x.X.Type(); k.IsArithmetic() && k.Kind < tree.Int {
			t.Errorf("%s is not promoted at %v", k, x.P)
		}
		if x.Op < tree.Lt {
			same(x.X.Type(), x.T)
		}
	case *tree.Assign:
		value(t, x, x.R)
		same(x.R.Type(), stored(x.L))
	case *tree.AssignOp:
		value(t, x, x.R)
		if x.Op != tree.Shl && x.Op != tree.Shr && x.Compute.Kind != tree.Pointer {
			same(x.R.Type(), x.Compute)
		}
	case *tree.Cond:
		value(t, x, x.C, x.X, x.Y)
		same(x.X.Type(), x.T)
		same(x.Y.Type(), x.T)
	case *tree.Select:
		value(t, x, x.C, x.X, x.Y)
		same(x.X.Type(), x.T)
		same(x.Y.Type(), x.T)
	case *tree.Logic:
		value(t, x, x.X, x.Y)
	case *tree.Unary:
		value(t, x, x.X)
	case *tree.Convert:
		if x.T.Kind != tree.Void {
			value(t, x, x.X)
		}
	case *tree.Splat:
		value(t, x, x.X)
		same(x.X.Type(), x.T.Elem)
	case *tree.VectorLit:
		value(t, x, x.Elems...)
		n := int64(0)
		for _, e := range x.Elems {
			same(e.Type().Lane(), x.T.Elem)
			n += e.Type().Lanes()
		}
		if n != x.T.Len {
			t.Errorf("%d lanes in %s at %v", n, x.T, x.P)
		}
	case *tree.Call:
		value(t, x, x.Args...)
		for i, p := range x.Func.Params {
			same(x.Args[i].Type(), p.Type)
		}
	case *tree.BuiltinCall:
		value(t, x, x.Args...)
	case *tree.Comma:
		value(t, x, x.X, x.Y)
	}
}
