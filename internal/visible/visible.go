// Package visible shows what a terminal would obey or hide: text from models,
// file names, lists, traces and damaged stores is printed as it is, and must not
// move the cursor, set a title, or make a line read otherwise than it is.
//
// What is not to be seen in itself is written as JSON would escape it, so that
// JSON means the same afterwards.
package visible

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text makes all control characters of a text visible, those that change the
// direction of writing among them, but for line feeds and tabs, and all that is
// not UTF-8.
func Text(s string) string { return show(s, true) }

// Line makes line feeds and tabs visible, too: what is a part of a line stays in it.
func Line(s string) string { return show(s, false) }

func show(s string, lines bool) string {
	if harmless(s, lines) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsGraphic(r), lines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
		i += n
	}
	return b.String()
}

// harmless reports whether there is plainly nothing to be shown: most text is
// ASCII.
func harmless(s string, lines bool) bool {
	for i := range len(s) {
		c := s[i]
		if (c < ' ' || c > '~') && !(lines && (c == '\n' || c == '\t')) {
			return false
		}
	}
	return true
}

// Writer writes Text of what is written to it.
type Writer struct {
	w    io.Writer
	lock sync.Mutex // progress is written from beside
	rest []byte     // the beginning of a character whose end is still to come
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

func (v *Writer) Write(p []byte) (int, error) {
	v.lock.Lock()
	defer v.lock.Unlock()
	text := append(v.rest, p...)
	whole := len(text) - partial(text)
	v.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(v.w, Text(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes a character that has no end.
func (v *Writer) Flush() error {
	v.lock.Lock()
	defer v.lock.Unlock()
	if len(v.rest) == 0 {
		return nil
	}
	_, err := io.WriteString(v.w, Text(string(v.rest)))
	v.rest = nil
	return err
}

// partial returns how many bytes at the end of a text begin a character that may
// go on.
func partial(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
