package litmus

import (
	"strings"
	"unicode/utf8"
)

// tokenKind is the class of a token.
type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokWord
	tokNumber
	tokString
	tokPunct
	tokName // of a value of an outcome, other than a word
)

// token is a word, number, quoted string or punctuation mark.
type token struct {
	kind tokenKind
	pos  pos
	text string
}

// String describes the token in an error.
func (t token) String() string {
	if t.kind == tokEOF {
		return "end of file"
	}
	if len(t.text) > 40 {
		return `"` + printable(t.text[:40]) + `..."`
	}
	return `"` + printable(t.text) + `"`
}

// lexer splits a source into tokens. Comments (* *) are recognised
// everywhere, but in a body "(*x" is a parenthesis and a load.
type lexer struct {
	*source
	at     int
	braces int  // that are open
	thread bool // a thread has begun, so that braces enclose its body
	closed int  // offset of the last "*)"
	names  bool // names of outcomes are words
	tokens []token
}

// lexNames returns the tokens of a condition that is no part of a test.
func lexNames(src *source) []token {
	l := &lexer{source: src, names: true}
	for l.blanks(); l.at < len(l.text); l.blanks() {
		l.token()
	}
	return append(l.tokens, token{kind: tokEOF, pos: pos(len(l.text))})
}

// lex returns the tokens from offset at on; the last is tokEOF.
func lex(src *source, at int) []token {
	l := &lexer{source: src, at: at, closed: strings.LastIndex(src.text, "*)")}
	l.tokens = make([]token, 0, (len(src.text)-at)/4)
	for l.blanks(); l.at < len(l.text); l.blanks() {
		l.token()
	}
	return append(l.tokens, token{kind: tokEOF, pos: pos(len(l.text))})
}

// blanks skips white space and comments.
func (l *lexer) blanks() {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		switch {
		case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
			l.at++
		case strings.HasPrefix(rest, "//"):
			l.at += strings.IndexByte(rest+"\n", '\n')
		case strings.HasPrefix(rest, "/*"):
			l.comment("*/")
		case strings.HasPrefix(rest, "(*") && !l.loads():
			l.comment("*)")
		default:
			return
		}
	}
}

// loads reports whether the "(*" at l.at is a load in parentheses.
func (l *lexer) loads() bool {
	next := l.at + 2
	return l.thread && l.braces > 0 && (l.closed < next || isLetter(l.text[next]))
}

func (l *lexer) comment(end string) {
	n := strings.Index(l.text[l.at+2:], end)
	if n < 0 {
		l.failf(pos(l.at), "comment is not closed by %s", end)
	}
	l.at += 2 + n + len(end)
}

// token appends the token at l.at.
func (l *lexer) token() {
	start, c := l.at, l.text[l.at]
	if l.names && l.name() {
		return
	}
	kind := tokPunct
	switch {
	case isLetter(c):
		kind = tokWord
		l.run(func(c byte) bool { return isLetter(c) || isDigit(c) })
		l.thread = l.thread || isThreadName(l.text[start:l.at])
	case isDigit(c):
		kind = tokNumber
		l.run(func(c byte) bool { return isLetter(c) || isDigit(c) })
	case c == '"':
		kind = tokString
		l.quoted()
	default:
		l.at += l.punctuation()
	}
	l.tokens = append(l.tokens, token{kind, pos(start), l.text[start:l.at]})
}

// name appends the name of a value of an outcome at l.at, and reports whether one is there.
func (l *lexer) name() bool {
	start, text := l.at, outcomeName.FindString(l.text[l.at:])
	if head, _, _ := strings.Cut(text, ":"); text == "" || isThreadName(head) { // P1:r0 is 1:r0
		return false
	}
	l.at += len(text)
	l.tokens = append(l.tokens, token{tokName, pos(start), strings.Trim(text, `"`)})
	return true
}

func (l *lexer) run(in func(byte) bool) {
	for l.at < len(l.text) && in(l.text[l.at]) {
		l.at++
	}
}

func (l *lexer) quoted() {
	n := strings.IndexAny(l.text[l.at+1:], "\"\n")
	if n < 0 || l.text[l.at+1+n] == '\n' {
		l.failf(pos(l.at), "string is not closed on its line")
	}
	l.at += n + 2
}

// pairs are the punctuation marks of two characters.
const pairs = "== != <= >= && || /\\ \\/ <>"

// punctuation returns the length of the mark at l.at.
func (l *lexer) punctuation() int {
	rest := l.text[l.at:]
	switch rest[0] {
	case '{':
		l.braces++
	case '}':
		l.braces--
	}
	if len(rest) >= 2 && rest[0] != ' ' && rest[1] != ' ' && strings.Contains(pairs, rest[:2]) {
		return 2
	}
	if strings.IndexByte("+-*/%&|^!~<>=(){}[];:,@", rest[0]) >= 0 {
		return 1
	}
	r, _ := utf8.DecodeRuneInString(rest)
	l.failf(pos(l.at), "unexpected character %q", r)
	return 0
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// isThreadName reports whether the word names a thread: P0, P12.
func isThreadName(s string) bool {
	if len(s) < 2 || s[0] != 'P' {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}
