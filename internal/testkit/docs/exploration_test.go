package docs

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// section finds the headings of arguments in docs/exploration.md, and what follows them.
var section = regexp.MustCompile(`(?m)^#{3,4} (.*)\n\n(.*)$`)

// arguedIn finds what code says of where it is argued.
var arguedIn = regexp.MustCompile(`docs/exploration\.md, "([^"]+)"`)

// TestArguments checks that each argument of docs/exploration.md names the code that relies on
// it, and that this code names the argument, and no code another.
func TestArguments(t *testing.T) {
	list, fset := sources(t)
	all := declared(list)
	cited := map[string]map[string]bool{} // by what is declared
	for name, node := range all {
		cited[name] = map[string]bool{}
		for _, m := range arguedIn.FindAllStringSubmatch(comment(node), -1) {
			cited[name][m[1]] = true
		}
	}
	text := page(t, root+"/docs/exploration.md")
	text, _, _ = strings.Cut(text, "\n## Completeness\n")
	titles := map[string]bool{}
	for _, m := range section.FindAllStringSubmatch(text, -1) {
		title := m[1]
		titles[title] = true
		names := code.FindAllStringSubmatch(m[2], -1)
		if !strings.HasPrefix(m[2], "Code: ") {
			if !strings.HasPrefix(m[2], "#") { // a heading of sections
				t.Errorf("%q begins with no line \"Code: ...\"", title)
			}
			continue
		}
		if len(names) == 0 {
			t.Errorf("%q names no code", title)
		}
		for _, n := range names {
			if !cited[n[1]][title] {
				t.Errorf("%q names %s, whose comment does not name it: docs/exploration.md, %q", title, n[1], title)
			}
		}
	}
	if len(titles) < 15 {
		t.Errorf("%d arguments: the test looks for the wrong thing", len(titles))
	}
	for _, s := range list {
		for _, f := range s.files {
			for _, c := range f.Comments {
				for _, m := range arguedIn.FindAllStringSubmatch(c.Text(), -1) {
					if !titles[m[1]] {
						t.Errorf("%s names %q, which docs/exploration.md does not have", fset.Position(c.Pos()), m[1])
					}
				}
			}
		}
	}
}

// comment returns the comment of what is declared.
func comment(n ast.Node) string {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return n.Doc.Text()
	case *ast.GenDecl:
		return n.Doc.Text()
	case *ast.TypeSpec:
		return n.Doc.Text()
	case *ast.ValueSpec:
		return n.Doc.Text()
	}
	return ""
}
