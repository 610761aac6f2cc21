package check

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"modernc.org/cc/v4"
)

// maxWork bounds the expansion of conditions, as cc's ExpansionLimit. Its preprocessor calls itself for the brackets of a
// condition when macros are expanded, each of which costs four tokens of work and four kilobytes of a stack that no one can
// catch when it overflows.
const maxWork = 200_000

// conditions reports whether the conditions of #if can be evaluated in a program that expands to much as a whole: in its
// directives alone, without the text between them, they expand to little.
func (c *checker) conditions(sources []cc.Source) bool {
	c.files.bare = true
	defer func() { c.files.bare = false }()
	for i, s := range sources {
		sources[i].Value = c.files.directives(s.Value.(string))
	}
	err := c.preprocess(sources, maxWork, io.Discard)
	return !overLimit(err) && !errors.Is(err, errGaveUp) && !c.files.unclear
}

// overLimit reports whether cc gave up since macros expand to too much.
func overLimit(err error) bool {
	return err != nil && strings.Contains(err.Error(), "macro expansion limit")
}

// directives returns a text without what is no directive, with the same lines; it notes where it is not clear that all
// conditions remain and mean the same.
func (f *files) directives(text string) string {
	b := &barer{text: []byte(text), code: []byte(text)}
	b.comments()
	bare := b.lines()
	f.unclear = f.unclear || b.unclear || b.words()
	return bare
}

// barer strips a text of what is no directive.
type barer struct {
	text    []byte
	code    []byte // without comments
	unclear bool
}

// comments blanks comments. Those that a continued line or a quote that nothing closes may begin or end are not clear.
func (b *barer) comments() {
	lexemes(string(b.text), func(from, to int, comment bool) {
		s := b.text[from:to]
		if !comment {
			b.unclear = b.unclear || len(s) < 2 || s[0] != s[len(s)-1]
			return
		}
		b.unclear = b.unclear || bytes.Contains(s, []byte("\\\n")) || bytes.Contains(s, []byte("\\\r"))
		before := b.code[bytes.LastIndexByte(b.code[:from], '\n')+1 : from]
		if bytes.IndexByte(s, '\n') >= 0 || bytes.IndexByte(before, '<') >= 0 { // it may be a part of a directive, or of a file's name
			b.unclear = b.unclear || bytes.IndexByte(before, '#') >= 0
		}
		blank(b.code, from, to)
	})
}

// words reports whether a text may tell conditions more than its directives do: by __COUNTER__ or _Pragma, also if they are
// pasted together.
func (b *barer) words() bool {
	for _, w := range bytes.FieldsFunc(b.code, func(r rune) bool { return r < 0x80 && !isWord(byte(r)) }) {
		if bytes.HasPrefix([]byte("__COUNTER__"), w) || bytes.HasPrefix([]byte("_Pragma"), w) {
			return true
		}
	}
	return false
}

// lines returns the directives.
func (b *barer) lines() string {
	var out strings.Builder
	directive, joined := false, false
	for at := 0; at < len(b.code); {
		end := at + bytes.IndexByte(b.code[at:], '\n') + 1
		if end == at {
			end = len(b.code)
		}
		line := b.code[at:end]
		if !joined {
			directive = b.directive(at, line)
		}
		was := joined
		rest := bytes.TrimRight(line, "\r\n")
		joined = bytes.HasSuffix(rest, []byte(`\`))
		if joined && (!directive || bytes.HasSuffix(rest, []byte(`/\`))) || was && bytes.HasPrefix(line, []byte("/")) {
			b.unclear = true
		}
		if directive {
			out.Write(line)
		} else {
			out.WriteByte('\n')
		}
		at = end
	}
	return out.String()
}

// directive reports whether a line of code is one.
func (b *barer) directive(at int, line []byte) bool {
	hash := bytes.IndexByte(line, '#')
	if hash < 0 {
		return false
	}
	blanks := func(s []byte) bool { return len(bytes.Trim(s, " \t")) == 0 }
	if bytes.ContainsFunc(line[:hash], func(r rune) bool { return r > ' ' && r < 0x7f }) {
		return false
	}
	b.unclear = b.unclear || !blanks(b.text[at:at+hash])
	return true
}
