package load

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/memmodel"
)

// kindDirective is what a //cl:memory directive says of a variable.
type kindDirective struct {
	kind memmodel.Kind
	pos  token.Pos
}

const directivePrefix = "//cl:"

// checkDirectives reads the //cl:memory and //cl:program directives above package-level
// variables and the model's //cl:sub_group_size, and reports directives that are wrong or stand elsewhere.
func (m *model) checkDirectives() {
	m.kinds = map[*types.Var]kindDirective{}
	for _, f := range m.files {
		used := map[*ast.Comment]bool{}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				m.declaredKinds(g, used)
				m.declaredProgram(g, used)
			}
		}
		m.subGroups(f, used)
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

// maxSubGroupSize is no less than the size of any work-group.
const maxSubGroupSize = 1 << 14

// subGroups applies a //cl:sub_group_size directive outside functions. It names
// a number, or a constant of the model.
func (m *model) subGroups(f *ast.File, used map[*ast.Comment]bool) {
	inFunction := func(pos token.Pos) bool {
		return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
			fn, ok := d.(*ast.FuncDecl)
			return ok && fn.Body != nil && fn.Body.Pos() <= pos && pos < fn.Body.End()
		})
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			word, ok := strings.CutPrefix(c.Text, directivePrefix+"sub_group_size")
			if !ok || inFunction(c.Pos()) {
				continue
			}
			used[c] = true
			word = strings.TrimSpace(word)
			n, err := strconv.ParseInt(word, 10, 64)
			if k, isConst := m.pkg.Scope().Lookup(word).(*types.Const); isConst {
				n, _ = constant.Int64Val(constant.ToInt(k.Val()))
				err = nil
			}
			switch {
			case m.subGroupSize != 0:
				m.errorf(c.Pos(), "leave one of them out", "there are two //cl:sub_group_size lines; all sub-groups have one size")
			case err != nil || n < 1 || n > maxSubGroupSize:
				m.errorf(c.Pos(), "write a positive number, or the name of an integer constant of the model", "%q is not the size of a sub-group", word)
			default:
				m.subGroupSize = n
			}
		}
	}
}

func (m *model) strayDirectives(f *ast.File, used map[*ast.Comment]bool) {
	for _, group := range f.Comments {
		for _, c := range group.List {
			switch {
			case used[c] || !strings.HasPrefix(c.Text, directivePrefix):
			case strings.HasPrefix(c.Text, directivePrefix+"memory"):
				m.errorf(c.Pos(), "move the directive to the line above a package-level var", "//cl:memory applies to no variable")
			case strings.HasPrefix(c.Text, programWord):
				m.errorf(c.Pos(), "move the directive to the line above a package-level var, and name a file", "//cl:program applies to no variable")
			case strings.HasPrefix(c.Text, directivePrefix+"sub_group_size"):
				m.errorf(c.Pos(), "move the directive out of the function, to a line of its own", "//cl:sub_group_size is for the whole model")
			default:
				m.errorf(c.Pos(), "the directives are: //cl:memory KIND, //cl:program FILE.cl, //cl:sub_group_size N", "unknown directive %s", firstWord(c.Text))
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
