package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// told are the structs that a reader of the checker's core meets first, by file.
var told = map[string][]string{
	"memmodel/memory.go": {"Memory"},
	"memmodel/relseq.go": {"reach"},
	"state/machine.go":   {"Machine"},
	"state/cast.go":      {"Cast", "Group", "cell"},
	"state/state.go":     {"State"},
	"explore/dpor.go":    {"turns", "kidStep", "dpor", "member"},
	"explore/explore.go": {"search"},
	"explore/frame.go":   {"frame", "kid"},
	"por/turn.go":        {"Order"},
}

// TestFieldsAreTold sees that each field of the structs that hold the core together says
// what it is for, in its line or above it. What is embedded says so where it is declared.
func TestFieldsAreTold(t *testing.T) {
	for file, names := range told {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join("..", "..", filepath.FromSlash(file)), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			spec := structOf(f, name)
			if spec == nil {
				t.Errorf("%s has no struct %s: has it moved?", file, name)
				continue
			}
			for _, field := range spec.Fields.List {
				if len(field.Names) > 0 && field.Doc.Text() == "" && field.Comment.Text() == "" {
					t.Errorf("%s: %s.%s: no comment says what it is for", set.Position(field.Pos()), name, field.Names[0].Name)
				}
			}
		}
	}
}

// structOf returns the struct that a file declares by a name, or nil.
func structOf(f *ast.File, name string) (found *ast.StructType) {
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == name {
			found, _ = spec.Type.(*ast.StructType)
		}
		return found == nil
	})
	return found
}
