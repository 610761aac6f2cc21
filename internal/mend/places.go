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

// Bodies lists the lines of a text in which a statement begins that is all of a branch, without braces, and ends: braces let another one come above it.
func Bodies(text string, inGo bool) []int {
	if inGo {
		return nil
	}
	_, bodies := scanned(text)
	return bodies
}

func cStatements(text string) []int {
	lines, _ := scanned(text)
	return lines
}

// body reports whether the rest of a line is one statement that can be put between braces, whatever follows.
func body(text string, at int) bool {
	line, _, _ := strings.Cut(text[at:], "\n")
	w, _ := word(line, 0)
	end := skipTo(line, 0, ';')
	return letter(line[0]) && end < len(line) && codeEnd(line, end+1, len(line)) == end+1 && !slices.Contains([]string{"if", "for", "while", "do", "switch", "case", "default", "else"}, w)
}

// scanned goes by what comes before a line: the end of a statement, or where a block begins or ends, within braces and outside of parentheses.
func scanned(text string) (lines, bodies []int) {
	line, braces, parens := 1, 0, 0
	last, fresh, lastWord := byte(';'), true, ""
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
			end := directive(text, i)
			line += strings.Count(text[i:end], "\n")
			i = end
			continue
		}
		if fresh && braces > 0 && parens == 0 && strings.IndexByte(";{}", last) >= 0 && b != '}' && b != '{' {
			if w, _ := word(text, i); !slices.Contains([]string{"else", "case", "default", "while"}, w) || w == "while" && last != '}' {
				lines = append(lines, line)
			}
		}
		if fresh && braces > 0 && parens == 0 && (last == ')' || lastWord == "else") && body(text, i) {
			bodies = append(bodies, line)
		}
		fresh = false
		if letter(b) && (i == 0 || !letter(text[i-1])) {
			lastWord, _ = word(text, i)
		} else if !letter(b) {
			lastWord = ""
		}
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
	return lines, bodies
}

// directive returns where the line of a directive ends, with those in which it goes on.
func directive(text string, at int) int {
	for at < len(text) && (text[at] != '\n' || text[at-1] == '\\') {
		at++
	}
	return at
}

// Above puts statements above lines of a text, with the blanks that the lines begin with, and where a line is all of a branch braces around both.
func Above(text string, at map[int]string, inGo bool) string {
	bodies := Bodies(text, inGo)
	var b strings.Builder
	for n, line := range strings.SplitAfter(text, "\n") {
		if s := at[n+1]; s != "" {
			begin := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
			if slices.Contains(bodies, n+1) {
				s = "{ " + s
				end := skipTo(line, 0, ';') + 1
				line = line[:end] + " }" + line[end:]
			}
			b.WriteString(begin + s + "\n")
		}
		b.WriteString(line)
	}
	return b.String()
}

// Unbraced takes out what Above has put above a line that is all of a branch, with the braces.
func (c *Call) Unbraced(text string) []Edit {
	from := strings.LastIndexByte(text[:c.from], '\n') + 1
	to := strings.IndexByte(text[c.from:], '\n')
	if to < 0 || strings.TrimSpace(text[from:c.from]) != "{" {
		return nil
	}
	to += c.from + 1
	end := skipTo(text, to, ';') + 1
	if !strings.HasPrefix(text[min(end, len(text)):], " }") {
		return nil
	}
	return []Edit{{From: from, To: to}, {From: end, To: end + 2}}
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
