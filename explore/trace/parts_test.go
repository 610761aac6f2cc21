package trace

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// parts are the types that a replay, and what is told of it, are made of.
var parts = []string{"board", "shadow", "past", "execution", "attention", "ledger", "trails", "privateLog", "commandLog", "stepLog", "viewLog", "replay",
	"teller", "explainer", "vainWait", "shapeFinder", "slicing", "accessPair", "mender", "chainReader", "stranger", "diagnosis"}

// A part alone writes its fields: its methods do, and the functions that make it. That it knows none of those above it, its type says.
func TestPartsWriteTheirFields(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	conf := types.Config{Importer: blankImporter{}, Error: func(error) {}} // what other packages have makes no difference here
	pkg, _ := conf.Check("trace", fset, files, info)
	owner := map[types.Object]string{}
	for _, part := range parts {
		of, ok := pkg.Scope().Lookup(part).Type().Underlying().(*types.Struct)
		if !ok {
			t.Fatalf("%s is no struct", part)
		}
		for i := range of.NumFields() {
			owner[of.Field(i)] = part
		}
	}
	seen := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			of := receiverOf(fn)
			eachWritten(fn, func(x ast.Expr) {
				sel, ok := x.(*ast.SelectorExpr)
				if !ok || info.Selections[sel] == nil {
					return
				}
				part, ok := owner[info.Selections[sel].Obj()]
				seen[part] = ok || seen[part]
				if ok && of != part && !(of == "" && strings.HasPrefix(fn.Name.Name, "new")) {
					t.Errorf("%s: %s writes %s.%s", fset.Position(x.Pos()), fn.Name.Name, part, sel.Sel.Name)
				}
			})
		}
	}
	for _, part := range []string{"execution", "privateLog", "commandLog", "stepLog", "viewLog", "replay", "chainReader"} {
		if !seen[part] {
			t.Errorf("no write of a field of %s was found", part)
		}
	}
}

// eachWritten calls f for what a function assigns to, counts on, or has a built-in function change.
func eachWritten(fn *ast.FuncDecl, f func(ast.Expr)) {
	whole := func(x ast.Expr) {
		for {
			switch e := x.(type) {
			case *ast.IndexExpr:
				x = e.X
			case *ast.StarExpr:
				x = e.X
			case *ast.ParenExpr:
				x = e.X
			default:
				f(x)
				return
			}
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				whole(x)
			}
		case *ast.IncDecStmt:
			whole(n.X)
		case *ast.CallExpr:
			if name, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"clear", "copy", "delete"}, name.Name) {
				whole(n.Args[0])
			}
		}
		return true
	})
}

// receiverOf returns the name of the type that a function is a method of, "" if of none.
func receiverOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	x := fn.Recv.List[0].Type
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	if name, ok := x.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// blankImporter knows of each package its name.
type blankImporter struct{}

func (blankImporter) Import(at string) (*types.Package, error) {
	p := types.NewPackage(at, filepath.Base(at))
	p.MarkComplete()
	return p, nil
}
