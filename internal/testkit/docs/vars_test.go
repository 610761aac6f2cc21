package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hooks are the variables of packages that tests may change: the process has one of each.
var hooks = map[string]bool{"guard.Crashed": true, "guard.Fault": true, "guard.Overrun": true}

// TestVariablesStay sees that no test changes a variable of a package, its own or another one of
// this module: what tests have otherwise is a field or an argument, so that two can run at a time.
func TestVariablesStay(t *testing.T) {
	list, _ := sources(t)
	vars := map[string]bool{}
	for name, node := range declared(list) {
		switch node.(type) {
		case *ast.GenDecl, *ast.ValueSpec:
			vars[name] = true // and constants and types, which nobody can change
		}
	}
	for _, s := range list {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(s.path), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, file, text, 0) // which finds what names mean within the file
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range changedIn(f) {
				if name := s.name + "." + at.Name; !strings.Contains(at.Name, ".") && vars[name] && !hooks[name] ||
					strings.Contains(at.Name, ".") && vars[at.Name] && !hooks[at.Name] {
					t.Errorf("%s changes %s", fset.Position(at.Pos()), at.Name)
				}
			}
		}
	}
}

// changedIn returns what a file assigns to or takes the address of, if the file does not
// declare it: names, and those with a package.
func changedIn(f *ast.File) (names []*ast.Ident) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, x := range n.Lhs {
					names = append(names, foreign(x)...)
				}
			}
		case *ast.IncDecStmt:
			names = append(names, foreign(n.X)...)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				names = append(names, foreign(n.X)...)
			}
		}
		return true
	})
	return names
}

// foreign returns the variable that an expression is a part of, if the file does not declare it.
func foreign(x ast.Expr) []*ast.Ident {
	switch x := x.(type) {
	case *ast.IndexExpr:
		return foreign(x.X)
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		if !ok {
			return foreign(x.X)
		}
		if id.Obj == nil {
			return []*ast.Ident{{NamePos: id.NamePos, Name: id.Name + "." + x.Sel.Name}, id}
		}
	case *ast.Ident:
		if x.Obj == nil {
			return []*ast.Ident{x}
		}
	}
	return nil
}
