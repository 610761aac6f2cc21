package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/clmc/clmc/memmodel"
)

// kindDirective is what a //cl:memory directive says of a variable.
type kindDirective struct {
	kind memmodel.Kind
	pos  token.Pos
}

const directivePrefix = "//cl:"

// checkDirectives reads the //cl:memory directives above package-level
// variables, and reports directives that are wrong or stand elsewhere.
func (m *model) checkDirectives() {
	m.kinds = map[*types.Var]kindDirective{}
	for _, f := range m.files {
		used := map[*ast.Comment]bool{}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				m.declaredKinds(g, used)
			}
		}
		m.strayDirectives(f, used)
	}
}

// declaredKinds applies the directives of a variable declaration: one above
// the whole declaration holds for all its variables that have none of their own.
func (m *model) declaredKinds(g *ast.GenDecl, used map[*ast.Comment]bool) {
	whole, any := m.kindIn(g.Doc, used)
	for _, s := range g.Specs {
		spec := s.(*ast.ValueSpec)
		kind, own := whole, false
		if spec.Doc != g.Doc {
			if k, ok := m.kindIn(spec.Doc, used); ok {
				kind, own = k, true
			}
		}
		if !any && !own {
			continue
		}
		for _, id := range spec.Names {
			if v, ok := m.info.Defs[id].(*types.Var); ok {
				m.kinds[v] = kind
			}
		}
	}
}

func (m *model) kindIn(doc *ast.CommentGroup, used map[*ast.Comment]bool) (kindDirective, bool) {
	var found kindDirective
	ok := false
	if doc == nil {
		return found, false
	}
	for _, c := range doc.List {
		word, isMemory := strings.CutPrefix(c.Text, directivePrefix+"memory")
		if !isMemory {
			continue
		}
		used[c] = true
		kind, valid := memmodel.ParseKind(strings.TrimSpace(word))
		if !valid {
			m.errorf(c.Pos(), "write one of: "+kindNames(), "unknown kind of memory %q", strings.TrimSpace(word))
			continue
		}
		found, ok = kindDirective{kind, c.Pos()}, true
	}
	return found, ok
}

func (m *model) strayDirectives(f *ast.File, used map[*ast.Comment]bool) {
	for _, group := range f.Comments {
		for _, c := range group.List {
			switch {
			case used[c] || !strings.HasPrefix(c.Text, directivePrefix):
			case strings.HasPrefix(c.Text, directivePrefix+"memory"):
				m.errorf(c.Pos(), "move the directive to the line above a package-level var", "//cl:memory applies to no variable")
			default:
				m.errorf(c.Pos(), "the only directive is: //cl:memory KIND", "unknown directive %s", firstWord(c.Text))
			}
		}
	}
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

func kindNames() string {
	var names []string
	for k := memmodel.Kind(0); ; k++ {
		if _, ok := memmodel.ParseKind(k.String()); !ok {
			return strings.Join(names, ", ")
		}
		names = append(names, k.String())
	}
}
