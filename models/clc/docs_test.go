package clc_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// documentation is what users read of OpenCL C.
const documentation = "../../docs/opencl-c.md"

// TestDocumented sees that each row of what the documentation says is supported, and each word of what it says is refused, has a kernel in
// testdata/kernels_docs.txtar, which TestKernels explores, and that each of these kernels belongs to one.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile(documentation)
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "## What is supported\n")
	if !ok {
		t.Fatal("the documentation has no such section")
	}
	claims := documented(t, section)
	kernels, err := txtar.ParseFile("testdata/kernels_docs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range kernels.Files {
		line, _, _ := strings.Cut(strings.TrimPrefix(string(f.Data), "// "), "\n")
		i := slices.IndexFunc(claims, func(claim string) bool { return strings.HasPrefix(claim, line) })
		if i < 0 {
			t.Errorf("%s is for %q, which the documentation does not say, or another kernel is for it", f.Name, line)
			continue
		}
		claims = slices.Delete(claims, i, i+1)
	}
	for _, claim := range claims {
		t.Errorf("no kernel is for %q", claim)
	}
}

// documented returns what the documentation claims: "row: " with what a row of the table names, and "refused: " with a construct.
func documented(t *testing.T, section string) (claims []string) {
	section, rest, _ := strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), `\|`, "!"), "|")
		if len(cells) != 4 || strings.Contains(cells[1], "---") || strings.TrimSpace(cells[1]) == "OpenCL C" {
			continue
		}
		claims = append(claims, "row: "+strings.ReplaceAll(strings.TrimSpace(cells[1]), "!", "|"))
	}
	_, refused, ok := strings.Cut(rest, "\nRefused for good: ")
	if len(claims) < 20 || !ok {
		t.Fatalf("the documentation is not as it was: %d rows", len(claims))
	}
	refused, _, _ = strings.Cut(strings.ReplaceAll(refused, "\n", " "), ".")
	for _, what := range strings.Split(refused, ", ") {
		claims = append(claims, "refused: "+what)
	}
	return claims
}

// inGo matches a name of package cl.
var inGo = regexp.MustCompile(`\bcl\.([A-Z]\w*)`)

// TestDocumentedNames sees that package cl has what the documentation names of it.
func TestDocumentedNames(t *testing.T) {
	text, err := os.ReadFile(documentation)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../cl/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no package cl", err)
	}
	exported := map[string]bool{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			declared(d, exported)
		}
	}
	names := inGo.FindAllStringSubmatch(string(text), -1)
	if len(names) < 20 {
		t.Errorf("%d names", len(names))
	}
	for _, n := range names {
		if !exported[n[1]] {
			t.Errorf("package cl has no %s", n[1])
		}
	}
}

// declared notes what a declaration declares.
func declared(d ast.Decl, names map[string]bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names[s.Name.Name] = true
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names[n.Name] = true
				}
			}
		}
	}
}
