package load

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/clmc/clmc/state/ir"
)

// define replaces the values of package-level constants by those that the
// options give. It works on the syntax, before type checking, so that the
// constants keep their declared types.
func (m *model) define() {
	if len(m.opt.Defines) == 0 {
		return
	}
	consts := m.constants()
	for _, name := range slices.Sorted(maps.Keys(m.opt.Defines)) {
		value := m.opt.Defines[name]
		at := token.Position{Filename: m.sources[0].name}
		slot, ok := consts[name]
		if !ok {
			m.report(at, known(consts), fmt.Sprintf("-D %s=%s: the model declares no constant %s", name, value, name))
			continue
		}
		if slot.shared {
			m.errorf(slot.ident.Pos(), "give the constant a value of its own, as in const n = 2",
				"-D %s=%s: constant %s cannot be set, because one expression gives the value of several constants", name, value, name)
			continue
		}
		lit := literal(value)
		if lit == nil {
			m.errorf(slot.ident.Pos(), "write a Go literal: -D "+name+"=8",
				"-D %s=%s: the value is not a constant", name, value)
			continue
		}
		setPos(lit, slot.spec.Values[slot.index].Pos())
		slot.spec.Values[slot.index] = lit
	}
}

// constSlot is where the value of a constant stands in the syntax.
type constSlot struct {
	ident  *ast.Ident
	spec   *ast.ValueSpec
	index  int
	shared bool // other constants repeat the value, or it repeats another's
}

// constants finds the package-level constants.
func (m *model) constants() map[string]constSlot {
	found := map[string]constSlot{}
	for _, f := range m.own {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for i, s := range g.Specs {
				spec := s.(*ast.ValueSpec)
				shared := len(spec.Values) != len(spec.Names) ||
					i+1 < len(g.Specs) && len(g.Specs[i+1].(*ast.ValueSpec).Values) == 0
				for j, id := range spec.Names {
					if id.Name != "_" {
						found[id.Name] = constSlot{id, spec, j, shared}
					}
				}
			}
		}
	}
	return found
}

// settable lists the constants that can be set, with the values that they have.
func (m *model) settable() []ir.Constant {
	var out []ir.Constant
	consts := m.constants()
	for _, name := range slices.Sorted(maps.Keys(consts)) {
		if c, ok := m.pkg.Scope().Lookup(name).(*types.Const); ok && !consts[name].shared {
			_, plain := c.Type().(*types.Basic)
			out = append(out, ir.Constant{Name: name, Value: c.Val().ExactString(), Plain: plain})
		}
	}
	return out
}

func known(consts map[string]constSlot) string {
	if len(consts) == 0 {
		return "the model declares no constants; add one: const n = 2"
	}
	return "its constants: " + strings.Join(slices.Sorted(maps.Keys(consts)), ", ")
}

// literal parses a constant as the command line gives it: a number, a string,
// a character, true or false, possibly signed. It returns nil for anything else.
func literal(text string) ast.Expr {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return nil
	}
	sign := token.ADD
	if u, ok := e.(*ast.UnaryExpr); ok && (u.Op == token.SUB || u.Op == token.ADD) {
		e, sign = u.X, u.Op
	}
	switch x := e.(type) {
	case *ast.Ident:
		if x.Name == "true" || x.Name == "false" {
			return &ast.Ident{Name: x.Name}
		}
	case *ast.BasicLit:
		if constant.MakeFromLiteral(x.Value, x.Kind, 0).Kind() == constant.Unknown {
			return nil
		}
		lit := &ast.BasicLit{Kind: x.Kind, Value: x.Value}
		if sign == token.SUB {
			return &ast.UnaryExpr{Op: sign, X: lit}
		}
		return lit
	}
	return nil
}

// setPos gives a literal the position of the value that it replaces.
func setPos(e ast.Expr, pos token.Pos) {
	switch x := e.(type) {
	case *ast.Ident:
		x.NamePos = pos
	case *ast.BasicLit:
		x.ValuePos = pos
	case *ast.UnaryExpr:
		x.OpPos = pos
		setPos(x.X, pos)
	}
}
