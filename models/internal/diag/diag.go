// Package diag is what front ends say of programs that they refuse or warn about: a place, the
// line with a caret, and what to write instead.
package diag

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clmc/clmc/internal/visible"
)

// Diagnostic is one thing to say.
type Diagnostic struct {
	Pos     token.Position // Line 0: the file as a whole
	Message string
	Line    string // the text of the source line, "" if there is none
	Note    string // where what is at the place comes from, or ""
	Hint    string // what to do instead, or ""
	// Lacks is the name that nobody defines, if that is what is wrong and hosts define such names, with parameters if it is called, as in OP(a1,a2); LacksType: it stands where a
	// type does.
	Lacks     string
	LacksType bool
}

// String returns the diagnostic as people read it: position and message, the line with a caret
// below the column, and the hint.
func (d Diagnostic) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", Location(d.Pos), d.Message)
	if text := strings.TrimSpace(d.Line); text != "" {
		fmt.Fprintf(&b, "\n    %s\n    %s^", text, d.indent())
	}
	for _, more := range []string{d.Note, d.Hint} {
		if more != "" {
			fmt.Fprintf(&b, "\n%s", more)
		}
	}
	return b.String()
}

// Location writes a position as far as it is known.
func Location(p token.Position) string {
	name := visible.Line(p.Filename)
	switch {
	case p.Line == 0:
		return name
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", name, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", name, p.Line, p.Column)
}

// indent returns the blanks that put the caret below the column when the line is shown without
// its indentation.
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

// Diagnostics is everything that is wrong with a program, by position.
type Diagnostics []Diagnostic

// Error returns all diagnostics as text.
func (ds Diagnostics) Error() string {
	parts := make([]string, len(ds))
	for i, d := range ds {
		parts[i] = d.String()
	}
	return strings.Join(parts, "\n")
}

// Each calls f with the place and the message of each diagnostic.
func (ds Diagnostics) Each(f func(at token.Position, message string)) {
	for _, d := range ds {
		f(d.Pos, d.Message)
	}
}

// Sort puts the diagnostics in the order of the text.
func (ds Diagnostics) Sort() {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename),
			cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
}

// maxLine bounds the length of a quoted line.
const maxLine = 300

// Quote returns a line of a text as a diagnostic shows it; none, if it is too long or no text.
func Quote(lines []string, line int) string {
	if line < 1 || line > len(lines) {
		return ""
	}
	text := strings.TrimRight(lines[line-1], "\r")
	if len(text) > maxLine || !utf8.ValidString(text) {
		return ""
	}
	return text
}
