package model

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/clmc/clmc/state/ir"
)

// directive begins what a line of a model says to clmc.
const directive = "//clmc:"

// lineWords are the words of lines that stand alone, and endWords those that may also stand at the end of a line.
var (
	lineWords = []string{"launch", "assert", "expect", "outcomes", "known"}
	endWords  = []string{"unreachable", "fixed", "free", "weight"}
)

// foreign are the words that say nothing in files of some kinds.
var foreign = map[string][]string{
	".go":     {"launch", "assert"},
	".litmus": {"launch", "assert", "known", "unreachable"},
}

// stray refuses what looks like a line for clmc and is read by nobody: a word that clmc does not know, one behind code, or one behind a blank.
func stray(sources []ir.Source) error {
	for _, s := range sources {
		n := 0
		for line := range strings.Lines(s.Text) {
			n++
			if at, why := unread(line, foreign[path.Ext(s.Name)]); why != "" {
				return fmt.Errorf("%s:%d:%d: %s", s.Name, n, at+1, why)
			}
		}
	}
	return nil
}

// unread says why nobody reads what a line says to clmc, and where that begins; "" if it says nothing or is read.
func unread(line string, foreign []string) (at int, why string) {
	text := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
	if rest, ok := strings.CutPrefix(text, "//"); ok && !strings.HasPrefix(text, directive) {
		word, ok := strings.CutPrefix(strings.TrimSpace(rest), "clmc:")
		if ok && isWord(wordOf(word)) {
			return strings.Index(line, "//"), fmt.Sprintf("a comment is no line for clmc: write %s%s, without a blank", directive, wordOf(word))
		}
		return 0, ""
	}
	at = strings.Index(line, directive)
	if at < 0 || isText(line[:at]) {
		return 0, ""
	}
	word := wordOf(line[at+len(directive):])
	before := strings.TrimSpace(strings.TrimPrefix(line[:at], "\ufeff"))
	switch {
	case !isWord(word) || slices.Contains(foreign, word):
		words := slices.DeleteFunc(slices.Concat(lineWords, endWords), func(w string) bool { return slices.Contains(foreign, w) })
		return at, fmt.Sprintf("clmc does not know the line %s%s here\nthe lines are: %s%s", directive, word, directive, strings.Join(words, ", "+directive))
	case slices.Contains(lineWords, word) && before != "" && before != "(*":
		return at, fmt.Sprintf("%s%s is not read behind other text: give it a line of its own", directive, word)
	}
	return 0, ""
}

// isWord reports whether a word is one of those.
func isWord(word string) bool {
	return slices.Contains(lineWords, word) || slices.Contains(endWords, word)
}

// wordOf is the word that a text begins with.
func wordOf(text string) string {
	end := strings.IndexFunc(text, func(c rune) bool { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_' && c != '-' })
	if end < 0 {
		return text
	}
	return text[:end]
}

// isText reports whether what follows on a line is within a comment that began before it, or within a string.
func isText(before string) bool {
	s := strings.TrimSpace(before)
	return strings.Contains(s, "//") || strings.HasPrefix(s, "*") || strings.HasPrefix(s, "/*") || strings.Count(s, `"`)%2 != 0 || strings.Count(s, "`")%2 != 0
}
