package load

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clmc/clmc/internal/visible"
)

// Diagnostic says why a model was refused.
type Diagnostic struct {
	Pos     token.Position // Line 0: the file as a whole
	Message string
	Line    string // the text of the source line, "" if there is none
	Hint    string // what to do instead, or ""
}

// String returns the diagnostic as people read it: position and message, the
// line with a caret below the column, and the hint.
func (d Diagnostic) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", location(d.Pos), d.Message)
	if text := strings.TrimSpace(d.Line); text != "" {
		fmt.Fprintf(&b, "\n    %s\n    %s^", text, d.indent())
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "\n%s", d.Hint)
	}
	return b.String()
}

// location writes a position as far as it is known.
func location(p token.Position) string {
	name := visible.Line(p.Filename)
	switch {
	case p.Line == 0:
		return name
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", name, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", name, p.Line, p.Column)
}

// indent returns the blanks that put the caret below the column when the line
// is shown without its indentation.
func (d Diagnostic) indent() string {
	from := len(d.Line) - len(strings.TrimLeft(d.Line, " \t"))
	to := min(d.Pos.Column-1, len(d.Line))
	if to <= from {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, d.Line[from:to])
}

// Diagnostics is everything that is wrong with a model, by position.
type Diagnostics []Diagnostic

// Error returns all diagnostics as text.
func (ds Diagnostics) Error() string {
	parts := make([]string, len(ds))
	for i, d := range ds {
		parts[i] = d.String()
	}
	return strings.Join(parts, "\n")
}

// reporter collects diagnostics, one for each place: several inlinings of one
// piece of code report the same thing, and what follows a fault at its very
// place is mostly a consequence.
type reporter struct {
	fset  *token.FileSet
	files map[string][]string // lines by file name
	found Diagnostics
	seen  map[string]bool
}

// maxDiagnostics bounds what one run reports.
const maxDiagnostics = 50

func newReporter() *reporter {
	return &reporter{fset: token.NewFileSet(), files: map[string][]string{}, seen: map[string]bool{}}
}

// addFile makes the text of a file known, for the lines that diagnostics quote.
func (r *reporter) addFile(name string, text []byte) {
	r.files[name] = strings.Split(string(text), "\n")
}

// errorf reports a problem at pos.
func (r *reporter) errorf(pos token.Pos, hint, format string, args ...any) {
	r.report(r.fset.PositionFor(pos, false), hint, fmt.Sprintf(format, args...))
}

// report adds a diagnostic.
func (r *reporter) report(pos token.Position, hint, message string) {
	if len(r.found) >= maxDiagnostics {
		return
	}
	key := location(pos)
	if pos.Line == 0 {
		key += message
	}
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	r.found = append(r.found, Diagnostic{Pos: pos, Message: message, Line: r.line(pos), Hint: hint})
}

// maxLine bounds the length of a quoted line.
const maxLine = 300

func (r *reporter) line(pos token.Position) string {
	lines := r.files[pos.Filename]
	if pos.Line < 1 || pos.Line > len(lines) {
		return ""
	}
	text := strings.TrimRight(lines[pos.Line-1], "\r")
	if len(text) > maxLine || !utf8.ValidString(text) {
		return ""
	}
	return text
}

// failed reports whether there is any diagnostic.
func (r *reporter) failed() bool { return len(r.found) > 0 }

// err returns the diagnostics in order, or nil.
func (r *reporter) err() error {
	if !r.failed() {
		return nil
	}
	slices.SortStableFunc(r.found, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename),
			cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return r.found
}
