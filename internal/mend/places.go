package mend

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Statements lists the lines of a text in which a statement of a function begins, and nothing before it: another one can come above it.
func Statements(text string, inGo bool) []int {
	if inGo {
		return goStatements(text)
	}
	return cStatements(text)
}

func goStatements(text string) (lines []int) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	all := strings.Split(text, "\n")
	add := func(list []ast.Stmt) {
		for _, s := range list {
			at := fset.Position(s.Pos())
			if at.Line > 0 && at.Line <= len(all) && strings.TrimSpace(all[at.Line-1][:min(at.Column-1, len(all[at.Line-1]))]) == "" {
				lines = append(lines, at.Line)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			add(n.List)
		case *ast.CaseClause:
			add(n.Body)
		}
		return true
	})
	slices.Sort(lines)
	return slices.Compact(lines)
}

// cStatements goes by what comes before a line: the end of a statement, or where a block begins or ends, within braces and outside of parentheses.
func cStatements(text string) (lines []int) {
	line, braces, parens := 1, 0, 0
	last, fresh := byte(';'), true
	for i := 0; i < len(text); {
		b := text[i]
		switch {
		case b == '\n':
			line++
			fresh = true
			i++
			continue
		case b == ' ' || b == '\t' || b == '\r':
			i++
			continue
		case strings.HasPrefix(text[i:], "//"), strings.HasPrefix(text[i:], "/*"):
			end := comment(text, i)
			line += strings.Count(text[i:end], "\n")
			i = end
			continue
		case b == '#' && fresh:
			for i < len(text) && (text[i] != '\n' || text[i-1] == '\\') {
				if text[i] == '\n' {
					line++
				}
				i++
			}
			continue
		}
		if fresh && braces > 0 && parens == 0 && strings.IndexByte(";{}", last) >= 0 && b != '}' && b != '{' {
			if w, _ := word(text, i); !slices.Contains([]string{"else", "case", "default", "while"}, w) || w == "while" && last != '}' {
				lines = append(lines, line)
			}
		}
		fresh = false
		switch b {
		case '"', '\'':
			end := quoted(text, i)
			line += strings.Count(text[i:end], "\n")
			i, last = end, b
			continue
		case '{':
			braces++
		case '}':
			braces--
		case '(':
			parens++
		case ')':
			parens--
		}
		last = b
		i++
	}
	return lines
}

// Above puts statements above lines of a text, with the blanks that the lines begin with.
func Above(text string, at map[int]string) string {
	var b strings.Builder
	for n, line := range strings.SplitAfter(text, "\n") {
		if s := at[n+1]; s != "" {
			b.WriteString(line[:len(line)-len(strings.TrimLeft(line, " \t"))] + s + "\n")
		}
		b.WriteString(line)
	}
	return b.String()
}

// Fence is the statement of a fence in a language; qualifier stands before names of package cl.
func Fence(inGo bool, qualifier string, s ir.Strength) string {
	text := names(inGo, qualifier, "atomic_work_item_fence") + "(" + names(inGo, qualifier, s.Flags.String()) + ", " + names(inGo, qualifier, s.Order.String()) + ", " + names(inGo, qualifier, s.Scope.String()) + ")"
	if !inGo {
		text += ";"
	}
	return text
}

// Barrier is the statement of a barrier of the work-group, by the name that a text has for it.
func Barrier(inGo bool, qualifier, text string, f memmodel.Flags) string {
	name := "work_group_barrier"
	if !inGo && barrierCall.MatchString(text) {
		name = "barrier"
	}
	call := names(inGo, qualifier, name) + "(" + names(inGo, qualifier, f.String()) + ")"
	if !inGo {
		call += ";"
	}
	return call
}

// names writes constants or functions of OpenCL C as a language does.
func names(inGo bool, qualifier, text string) string {
	if !inGo {
		return text
	}
	e := &editor{inGo: true}
	var out []string
	for _, n := range strings.Split(text, " | ") {
		out = append(out, qualifier+strings.TrimPrefix(e.function(n), "cl."))
	}
	return strings.Join(out, "|")
}

// Qualifier is what stands before the names of package cl in a text of Go.
func Qualifier(text string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if err != nil {
		return "cl."
	}
	for _, i := range f.Imports {
		if strings.HasSuffix(strings.Trim(i.Path.Value, `"`), "models/cl") && i.Name != nil {
			if i.Name.Name == "." {
				return ""
			}
			return i.Name.Name + "."
		}
	}
	return "cl."
}
