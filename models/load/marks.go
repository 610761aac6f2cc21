package load

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/clmc/clmc/state/ir"
)

// marks lists the cl.Reachable calls in the text of the host's main and of all that it refers to,
// through functions and variables. The code of one behind a condition that never holds is
// not made, and that is what it is to tell. A label that comes as an argument is
// known only where code is made.
func (l *lowering) marks() (marks []ir.Mark) {
	decls := l.declarations()
	main := l.model.pkg.Scope().Lookup("main")
	seen := map[types.Object]bool{main: true}
	for todo := []types.Object{main}; len(todo) > 0; todo = todo[1:] {
		node := decls[todo[0]]
		if node == nil {
			continue
		}
		ast.Inspect(node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if text, ok := l.label(n); ok {
					marks = append(marks, ir.Mark{Str: l.p.Str(text), Pos: l.posIn(n.Pos(), 0)})
				}
			case *ast.Ident:
				if o := origin(l.info.Uses[n]); o != nil && !seen[o] {
					seen[o] = true
					todo = append(todo, o)
				}
			}
			return true
		})
	}
	return marks
}

// declarations returns where the functions and the variables of the package are declared.
func (l *lowering) declarations() map[types.Object]ast.Node {
	decls := map[types.Object]ast.Node{}
	for _, f := range l.files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				decls[l.info.Defs[d.Name]] = d
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok {
						for _, name := range v.Names {
							decls[l.info.Defs[name]] = v
						}
					}
				}
			}
		}
	}
	return decls
}

// origin returns the generic function that o is an instance of, or else o.
func origin(o types.Object) types.Object {
	if f, ok := o.(*types.Func); ok {
		return f.Origin()
	}
	return o
}

// label returns the constant label of a call of cl.Reachable.
func (l *lowering) label(call *ast.CallExpr) (text string, ok bool) {
	var name *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		name = f.Sel
	case *ast.Ident: // of a dot import
		name = f
	default:
		return "", false
	}
	f, ok := l.info.Uses[name].(*types.Func)
	if !ok || f.Name() != "Reachable" || f.Pkg() == nil || f.Pkg().Path() != vocabularyPath || len(call.Args) != 1 {
		return "", false
	}
	v := l.info.Types[call.Args[0]].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}
