package prove

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// ErrNoSize is that nothing satisfies what is assumed.
var ErrNoSize = errors.New("no size satisfies what is assumed")

// Assumption is what is taken for granted of sizes and scalars.
type Assumption struct {
	Text string
	x    ast.Expr
}

// ParseAssumption reads an expression as C has it, of local, groups, global, of which local[1] is that of a dimension, and of the names of scalars.
func ParseAssumption(text string, k *Kernel) (Assumption, error) {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return Assumption{}, fmt.Errorf("%q is no condition such as local%%4==0", text)
	}
	a := Assumption{text, x}
	m := (&proof{k: k}).machine(0, nil)
	if _, err := a.truth(m, x); err != nil {
		return a, fmt.Errorf("%q: %w", text, err)
	}
	return a, nil
}

func (a Assumption) term(m *machine) *term {
	t, err := a.truth(m, a.x)
	if err != nil {
		return m.yes // of another kernel: it was read for one that has it
	}
	return t
}

// operands reads both operands of an expression.
func operands(read func(*machine, ast.Expr) (*term, error), m *machine, x *ast.BinaryExpr) (l, r *term, err error) {
	if l, err = read(m, x.X); err == nil {
		r, err = read(m, x.Y)
	}
	return l, r, err
}

// truth is an expression as a truth value.
func (a Assumption) truth(m *machine, x ast.Expr) (*term, error) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return a.truth(m, x.X)
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			t, err := a.truth(m, x.X)
			if err != nil {
				return nil, err
			}
			return m.not(t), nil
		}
	case *ast.BinaryExpr:
		switch x.Op {
		case token.LAND, token.LOR:
			l, r, err := operands(a.truth, m, x)
			if err != nil {
				return nil, err
			}
			if x.Op == token.LAND {
				return m.and(l, r), nil
			}
			return m.or(l, r), nil
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			l, r, err := operands(a.value, m, x)
			if err != nil {
				return nil, err
			}
			return comparison(m, x.Op, l, r), nil
		}
	}
	t, err := a.value(m, x)
	if err != nil {
		return nil, err
	}
	return m.holds(t), nil
}

func comparison(m *machine, op token.Token, l, r *term) *term {
	switch op {
	case token.EQL:
		return m.eq(l, r)
	case token.NEQ:
		return m.not(m.eq(l, r))
	case token.LSS:
		return m.less(true, l, r)
	case token.GTR:
		return m.less(true, r, l)
	case token.LEQ:
		return m.not(m.less(true, r, l))
	}
	return m.not(m.less(true, l, r))
}

// value is an expression as a number of 64 bits.
func (a Assumption) value(m *machine, x ast.Expr) (*term, error) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return a.value(m, x.X)
	case *ast.BasicLit:
		if v, err := strconv.ParseInt(x.Value, 0, 64); err == nil {
			return m.num(64, uint64(v)), nil
		}
	case *ast.Ident:
		return a.named(m, x.Name, 0)
	case *ast.IndexExpr:
		id, ok1 := x.X.(*ast.Ident)
		d, ok2 := x.Index.(*ast.BasicLit)
		if ok1 && ok2 && len(d.Value) == 1 && d.Value[0] >= '0' && d.Value[0] <= '2' {
			return a.named(m, id.Name, int(d.Value[0]-'0'))
		}
	case *ast.UnaryExpr:
		if v, err := a.value(m, x.X); err == nil && x.Op == token.SUB {
			return m.sub(m.num(64, 0), v), nil
		}
	case *ast.BinaryExpr:
		l, r, err := operands(a.value, m, x)
		if err != nil {
			return nil, err
		}
		switch x.Op {
		case token.ADD:
			return m.add(l, r), nil
		case token.SUB:
			return m.sub(l, r), nil
		case token.MUL:
			return m.product(l, r), nil
		case token.QUO, token.REM:
			return m.divided(x.Op == token.QUO, true, l, r), nil
		case token.AND:
			return m.bin(opAnd, l, r), nil
		}
	}
	//lint:ignore ST1005 the operators end with !
	return nil, errors.New("want numbers, local, groups, global and the names of scalars, with + - * / % & == != < <= > >= && || and !")
}

func (a Assumption) named(m *machine, name string, d int) (*term, error) {
	switch name {
	case "local":
		return m.sizes.localSize(m.terms, d), nil
	case "groups":
		return m.sizes.groups(m.terms, d), nil
	case "global":
		return m.sizes.globalSize(m.terms, d), nil
	}
	for i := range m.k.Scalars {
		if s := &m.k.Scalars[i]; s.Name == name && !s.Type.Float() {
			return m.sizes.scalar(m.terms, i), nil
		}
	}
	return nil, fmt.Errorf("the kernel has no scalar %s", name)
}
