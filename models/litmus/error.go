package litmus

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clmc/clmc/models/internal/words"
)

// Error is a mistake in a litmus test. Lines and columns count from 1,
// columns in bytes.
type Error struct {
	File      string
	Line, Col int
	Msg       string
	Hint      string // how to mend it; may be empty
	Text      string // the source line
}

// Error returns the position and message, the source line with a caret below
// the place, and the hint.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
	if text, caret := e.excerpt(); text != "" {
		fmt.Fprintf(&b, "\n\t%s\n\t%s^", text, caret)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\nhint: %s", e.Hint)
	}
	return b.String()
}

// excerptWidth bounds how much of a long source line an error shows on
// either side of the place.
const excerptWidth = 60

// excerpt returns the printable part of the source line around the place and
// the blanks that put a caret below it.
func (e *Error) excerpt() (text, caret string) {
	at := min(e.Col-1, len(e.Text))
	if at < 0 || strings.TrimSpace(e.Text) == "" {
		return "", ""
	}
	before, after := e.Text[max(0, at-excerptWidth):at], e.Text[at:min(len(e.Text), at+excerptWidth)]
	before = strings.TrimLeft(printable(before), " ")
	return strings.TrimRight(before+printable(after), " "), strings.Repeat(" ", utf8.RuneCountInString(before))
}

// printable replaces what would disturb a terminal, one rune by one.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < ' ' || r == 0x7f || r == utf8.RuneError:
			return '?'
		}
		return r
	}, s)
}

// pos is an offset into the source; the line and column are computed only
// for errors and once a program is built.
type pos int

// source is the text being parsed. Its methods report errors by panicking
// with an *Error, which Parse recovers.
type source struct {
	name  string
	text  string
	lines []int // offset of each line
}

func newSource(name, text string) *source {
	s := &source{name: name, text: text, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// failf reports a mistake at p.
func (s *source) failf(p pos, format string, args ...any) {
	s.hintf(p, "", format, args...)
}

// hintf reports a mistake at p with a hint on how to mend it.
func (s *source) hintf(p pos, hint, format string, args ...any) {
	line, col := s.locate(p)
	panic(&Error{File: s.name, Line: line, Col: col, Text: s.line(line), Hint: hint, Msg: fmt.Sprintf(format, args...)})
}

// locate returns the line and column of p, from 1.
func (s *source) locate(p pos) (line, col int) {
	at := min(int(p), len(s.text))
	line, exact := slices.BinarySearch(s.lines, at)
	if exact {
		line++
	}
	return line, at - s.lines[line-1] + 1
}

// line returns the text of a line.
func (s *source) line(line int) string {
	text, _, _ := strings.Cut(s.text[s.lines[line-1]:], "\n")
	return strings.TrimSuffix(text, "\r")
}

// nearest returns a hint that names the candidate most like the word, or "".
func nearest(word string, candidates []string) string {
	best, hint := len(word)/3, ""
	if len(word) == 2 {
		best = 1
	}
	for _, c := range candidates {
		if d := words.Distance(word, c); d <= best {
			best, hint = d-1, "did you mean "+c+"?"
		}
	}
	return hint
}
