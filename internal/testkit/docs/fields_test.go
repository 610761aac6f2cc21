package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// toldRooms are the packages whose structs are all told.
var toldRooms = []string{"memmodel", "state", "state/facts", "state/ir/flow", "por", "por/loadbuffering", "explore", "state/ir", "store", "store/disk", "explore/share"}

// TestFieldsAreTold sees that each field of the structs of the checker's core says
// what it is for, in its line or above it. What is embedded says so where it is declared, and of
// a struct in one line the comment above it tells.
func TestFieldsAreTold(t *testing.T) {
	for _, room := range toldRooms {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(room), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", room, err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				eachStruct(t, file, func(set *token.FileSet, name string, s *ast.StructType) { fieldsAreTold(t, set, name, s) })
			}
		}
	}
}

func fieldsAreTold(t *testing.T, set *token.FileSet, name string, s *ast.StructType) {
	t.Helper()
	if set.Position(s.Pos()).Line == set.Position(s.End()).Line {
		return
	}
	for _, field := range s.Fields.List {
		if len(field.Names) > 0 && field.Names[0].Name != "_msgpack" && field.Doc.Text() == "" && field.Comment.Text() == "" {
			t.Errorf("%s: %s.%s: no comment says what it is for", set.Position(field.Pos()), name, field.Names[0].Name)
		}
	}
}

// eachStruct calls f for the structs that a file gives a name.
func eachStruct(t *testing.T, file string, f func(set *token.FileSet, name string, s *ast.StructType)) {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			if s, ok := spec.Type.(*ast.StructType); ok {
				f(set, spec.Name.Name, s)
			}
		}
		return true
	})
}
