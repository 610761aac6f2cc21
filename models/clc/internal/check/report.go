package check

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
)

// maxDiagnostics bounds what one run reports.
const maxDiagnostics = 50

// bail unwinds to the statement or declaration in which something is wrong.
type bail struct{}

// fail reports an error and gives up what is being checked.
func (c *checker) fail(pos tree.Pos, hint, format string, args ...any) {
	c.errorf(pos, hint, format, args...)
	panic(bail{})
}

// try runs f and reports whether it ended without a bail.
func (c *checker) try(f func()) (ok bool) {
	depth := c.depth
	defer func() {
		if e := recover(); e != nil {
			if _, is := e.(bail); !is {
				panic(e)
			}
			c.depth = depth
			ok = false
		}
	}()
	f()
	return true
}

// errorf reports an error.
func (c *checker) errorf(pos tree.Pos, hint, format string, args ...any) {
	c.report(pos, hint, fmt.Sprintf(format, args...))
}

// report adds an error, one for each place: what follows at the very place is mostly a
// consequence.
func (c *checker) report(pos tree.Pos, hint, message string) {
	if len(c.found) >= maxDiagnostics {
		return
	}
	if c.told[pos] && pos.Line != 0 {
		return
	}
	c.told[pos] = true
	c.found = append(c.found, c.diagnostic(pos, hint, message))
}

// lacks notes that the error at a place, if it is the last that was added, is a name that nobody defines.
func (c *checker) lacks(pos tree.Pos, name string, isType bool) {
	if n := len(c.found); n > 0 && c.found[n-1].Pos.Line == int(pos.Line) && c.found[n-1].Pos.Column == int(pos.Col) {
		c.found[n-1].Lacks, c.found[n-1].LacksType = name, isType
	}
}

// warnf adds a warning.
func (c *checker) warnf(pos tree.Pos, hint, format string, args ...any) {
	if len(c.warnings) < maxDiagnostics {
		c.warnings = append(c.warnings, c.diagnostic(pos, hint, fmt.Sprintf(format, args...)))
	}
}

func (c *checker) diagnostic(pos tree.Pos, hint, message string) diag.Diagnostic {
	d := diag.Diagnostic{Pos: token.Position{Filename: c.o.Path}, Message: message, Hint: hint}
	if int(pos.File) < len(c.files.unit) && c.files.unit != nil {
		d.Pos = token.Position{Filename: c.files.unit[pos.File].Name, Line: int(pos.Line), Column: int(pos.Col)}
		d.Line = diag.Quote(c.files.lines[pos.File], int(pos.Line))
		d.Note = c.expansion(d.Line, int(pos.Col))
	}
	return d
}

// expansion says which macro stands at the place, if one does: what cc makes of a macro is
// where its use is.
func (c *checker) expansion(line string, col int) string {
	if col < 1 || col > len(line) {
		return ""
	}
	end := col - 1
	for end < len(line) && isWord(line[end]) {
		end++
	}
	m := c.macros[line[col-1:end]]
	if m == nil {
		return ""
	}
	p := m.Position()
	if p.Filename == preludeName {
		return ""
	}
	if p.Filename == defineName {
		return fmt.Sprintf("expanded from %s, which -D defines", line[col-1:end])
	}
	text := ""
	for _, t := range m.ReplacementList() {
		text += string(t.Sep()) + t.SrcStr()
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 100 {
		text = text[:100] + "..."
	}
	return fmt.Sprintf("expanded from %s, which is defined as %q at %s:%d", line[col-1:end], text, p.Filename, p.Line)
}

// err returns the errors in order, or nil.
func (c *checker) err() error {
	if len(c.found) == 0 {
		return nil
	}
	c.found.Sort()
	return c.found
}
