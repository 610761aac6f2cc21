package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// number writes an integer with commas between thousands.
func number(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return number(n) + " " + thing + "s"
}

// because joins the reasons for an incomplete search.
func because(reasons []string) string {
	if len(reasons) == 0 {
		return "not everything was explored"
	}
	return strings.Join(reasons, "; ")
}

func width(s string) int { return utf8.RuneCountInString(s) }

// pad fills s up with spaces.
func pad(s string, w int) string {
	return s + strings.Repeat(" ", max(w-width(s), 0))
}

// wrap breaks text into lines of at most w characters, at spaces where it can.
func wrap(text string, w int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		word = abridge(word)
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) <= w:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
		for width(line) > w {
			r := []rune(line)
			cut := breakable(r[:w])
			lines = append(lines, string(r[:cut]))
			line = string(r[cut:])
		}
	}
	return append(lines, line)
}

// breakable returns where to break a word that is too long: behind a sign in its second half, or at its end.
func breakable(r []rune) int {
	for i := len(r); i > len(r)/2; i-- {
		if strings.ContainsRune("|,;/([{", r[i-1]) {
			return i
		}
	}
	return len(r)
}

// maxWord is the length from which on a word is no longer written in full: nobody reads it, and
// what it stands in could not be read either.
const maxWord = 200

// abridge leaves out the middle of a word that is too long.
func abridge(word string) string {
	if len(word) <= maxWord || width(word) <= maxWord {
		return word
	}
	r := []rune(word)
	return string(r[:maxWord/2]) + "…" + string(r[len(r)-maxWord/4:])
}

// indent wraps text behind a first prefix and further ones of equal width.
func indent(text, first, other string, w int) string {
	var b strings.Builder
	for i, line := range wrap(text, max(w-width(first), 20)) {
		prefix := other
		if i == 0 {
			prefix = first
		}
		b.WriteString(strings.TrimRight(prefix+line, " ") + "\n")
	}
	return b.String()
}

// Rules cites rules of docs/semantics.md and sections of the specification, in brackets.
func Rules(cited string) string {
	own, _, _ := strings.Cut(cited, ";")
	switch {
	case cited == "":
		return ""
	case strings.Contains(own, "section"):
		return " (" + cited + ")"
	case strings.ContainsAny(own, ", "):
		return " (rules " + cited + ")"
	}
	return " (rule " + cited + ")"
}
