package docs

import (
	"go/ast"
	"go/token"
	"path"
	"testing"
)

// longest is how many lines a function has at most: it fits on a screen.
const longest = 60

// tables are the functions that are longer as they have a case for each kind of something, each
// so short that a name for a part of them would hide what it is a part of.
var tables = map[string]string{
	"tree.each":                  "kinds of nodes, and their parts",
	"code.frame.expr":            "kinds of expressions, and who evaluates them",
	"randprog.waiting.deed":      "what a thread may do, each with a line that says it",
	"randprog.parser.statement":  "the words of instructions",
	"randprog.parser.assignment": "the words of instructions with a result",
}

func TestFunctionsFitOnAScreen(t *testing.T) {
	list, set := sources(t)
	long := map[string]bool{}
	for _, s := range list {
		for _, f := range s.files {
			if ast.IsGenerated(f) {
				continue
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || lines(set, fn) <= longest {
					continue
				}
				name := path.Base(s.path) + "." + fn.Name.Name
				if fn.Recv != nil {
					name = path.Base(s.path) + "." + receiver(fn) + "." + fn.Name.Name
				}
				if long[name] = true; tables[name] == "" {
					t.Errorf("%s: %s has %d lines, want at most %d", set.Position(fn.Pos()), name, lines(set, fn), longest)
				}
			}
		}
	}
	for name := range tables {
		if !long[name] {
			t.Errorf("%s is not that long any more", name)
		}
	}
}

// lines is how many lines a declaration has, without the comment above it.
func lines(set *token.FileSet, fn *ast.FuncDecl) int {
	return set.Position(fn.End()).Line - set.Position(fn.Type.Pos()).Line + 1
}
