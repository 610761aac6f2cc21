package docs

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// argued finds the headings of the arguments of a page, and the paragraph that follows each, unless that is a heading, too.
var argued = regexp.MustCompile(`(?m)^#{1,3} (.*)\n\n([^#\n].*(?:\n.+)*)$`)

// arguedIn finds where code says that it is argued: the page, and the heading.
var arguedIn = regexp.MustCompile(`docs/(exploration(?:/[a-z-]+)?\.md), "([^"]+)"`)

// unargued are the pages on the search that argue for nothing: what it does not do, and what it reports.
var unargued = []string{"exploration/limits.md", "exploration/figures.md"}

// place is where an argument is.
type place struct{ page, title string }

// TestArguments checks that each argument of docs/exploration names the code that relies on
// it, and that this code names the argument, and no code another.
func TestArguments(t *testing.T) {
	list, fset := sources(t)
	all := declared(list)
	cited := map[string]map[place]bool{} // by what is declared
	for name, node := range all {
		cited[name] = map[place]bool{}
		for _, m := range arguedIn.FindAllStringSubmatch(comment(node), -1) {
			cited[name][place{m[1], m[2]}] = true
		}
	}
	titles := arguments(t, cited)
	if len(titles) < 15 {
		t.Errorf("%d arguments: the test looks for the wrong thing", len(titles))
	}
	for _, s := range list {
		for _, f := range s.files {
			for _, c := range f.Comments {
				for _, m := range arguedIn.FindAllStringSubmatch(c.Text(), -1) {
					if !titles[place{m[1], m[2]}] {
						t.Errorf("%s names %q, which docs/%s does not have", fset.Position(c.Pos()), m[2], m[1])
					}
				}
			}
		}
	}
}

// arguments returns where the arguments are, and checks that each says which code relies on it, whose comments cite it,
// and which tests show it.
func arguments(t *testing.T, cited map[string]map[place]bool) map[place]bool {
	titles := map[place]bool{}
	for name, text := range pages(t) {
		if !strings.HasPrefix(name, "exploration/") || slices.Contains(unargued, name) {
			continue
		}
		for _, m := range argued.FindAllStringSubmatch(text, -1) {
			at := place{name, m[1]}
			used, tests, ok := strings.Cut(strings.ReplaceAll(m[2], "\n", " "), ". Tested by: ")
			used, begins := strings.CutPrefix(used, "Used in: ")
			if !ok || !begins {
				if strings.HasPrefix(text, "# "+m[1]) && strings.Contains(text, "\n## ") {
					continue // what the page is about
				}
				t.Errorf("docs/%s: %q begins with no \"Used in: ... . Tested by: ...\"", name, m[1])
				continue
			}
			titles[at] = true
			if !named.MatchString(tests) {
				t.Errorf("docs/%s: %q names no test", name, m[1])
			}
			names := code.FindAllStringSubmatch(used, -1)
			if len(names) == 0 {
				t.Errorf("docs/%s: %q names no code", name, m[1])
			}
			for _, n := range names {
				if !cited[n[1]][at] {
					t.Errorf("docs/%s: %q names %s, whose comment does not name it: docs/%s, %q", name, m[1], n[1], name, m[1])
				}
			}
		}
	}
	return titles
}

// TestIndexOfArguments checks that docs/exploration.md lists each page of docs/exploration, and each of its sections.
func TestIndexOfArguments(t *testing.T) {
	index := page(t, root+"/docs/exploration.md")
	for name, text := range pages(t) {
		if !strings.HasPrefix(name, "exploration/") {
			continue
		}
		if n := strings.Count(index, "| ["+strings.TrimPrefix(heading.FindString(text), "# ")+"]("+name+") |"); n != 1 {
			t.Errorf("docs/exploration.md lists docs/%s %d times", name, n)
		}
		for _, a := range anchors(text)[1:] {
			if !strings.Contains(index, "]("+name+"#"+a+")") {
				t.Errorf("docs/exploration.md does not list docs/%s#%s", name, a)
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
