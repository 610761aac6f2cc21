package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// machineMethods is how many exported methods state.Machine has at most. It had twice as many when reductions and
// analyses were its methods, too. What is asked together has a type of its own: Promises, Notes.
const machineMethods = 24

func TestMachineIsNarrow(t *testing.T) {
	files, err := filepath.Glob("../../../state/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	var methods []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() && ofMachine(fn) {
				methods = append(methods, fn.Name.Name)
			}
		}
	}
	if !slices.Contains(methods, "Do") || len(methods) > machineMethods {
		t.Errorf("%d exported methods, want at most %d: %v", len(methods), machineMethods, methods)
	}
}

func ofMachine(fn *ast.FuncDecl) bool {
	if fn.Recv == nil {
		return false
	}
	star, ok := fn.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	name, ok := star.X.(*ast.Ident)
	return ok && name.Name == "Machine"
}
