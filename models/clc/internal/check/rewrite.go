package check

import (
	"bytes"
	"regexp"
	"strings"
)

// edit says that what stands from a column of a line on has been moved to the right.
type edit struct {
	line, col int32 // in the rewritten text
	longer    int32 // how much longer the line became there
}

// rewrite makes a text one that cc can parse, with the same lines:
//
//   - a block literal ^R(params){body} becomes the statement expression
//     ({extern R __clc_block(params);{body}}), which no program can contain otherwise;
//   - attributes of statements become blanks.
func rewrite(text string) (string, []edit) {
	blocks := strings.IndexByte(text, '^') >= 0
	attributes := strings.Contains(text, "__attribute__")
	if !blocks && !attributes {
		return text, nil
	}
	w := &rewriter{in: []byte(text), code: strip(text)}
	if attributes {
		w.attributes()
	}
	if !blocks {
		return string(w.in), nil
	}
	w.blocks()
	return w.out.String(), w.edits
}

// rewriter rewrites one text.
type rewriter struct {
	in    []byte
	code  []byte // the text with comments and the contents of literals blanked
	out   strings.Builder
	edits []edit
	line  int32
	col   int32 // of the next byte of out, from 0
	moved int32
}

// strip blanks comments, strings and characters.
func strip(text string) []byte {
	b := []byte(text)
	lexemes(text, func(from, to int, comment bool) {
		if !comment { // the quotes stay
			from, to = from+1, to-1
		}
		blank(b, from, to)
	})
	return b
}

// blank makes bytes blanks, and leaves lines.
func blank(b []byte, from, to int) {
	for i := from; i < to; i++ {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
}

// lexemes finds the comments, strings and characters of a text. One that nothing closes ends with the line, a comment
// with the text.
func lexemes(b string, found func(from, to int, comment bool)) {
	for i := 0; i < len(b); i++ {
		j := i
		switch {
		case b[i] == '/' && i+1 < len(b) && b[i+1] == '/':
			for j < len(b) && (b[j] != '\n' || b[j-1] == '\\') {
				j++
			}
			found(i, j, true)
		case b[i] == '/' && i+1 < len(b) && b[i+1] == '*':
			if j = strings.Index(b[i+2:], "*/"); j < 0 {
				j = len(b)
			} else {
				j += i + 4
			}
			found(i, j, true)
		case b[i] == '"' || b[i] == '\'':
			for j++; j < len(b) && b[j] != b[i] && b[j] != '\n'; j++ {
				if b[j] == '\\' {
					j++
				}
			}
			j = min(j+1, len(b))
			found(i, j, false)
		default:
			continue
		}
		i = j - 1
	}
}

// ofStatements are attributes that stand before a statement, where cc knows none, or that have
// types in their arguments.
var ofStatements = regexp.MustCompile(`__attribute__\s*\(\(\s*(?:__)?(?:opencl_unroll_hint|nounroll|unroll|loop_unroll|ivdep|vec_type_hint)\b`)

// attributes blanks those attributes, or where others follow in one list, what stands before these.
func (w *rewriter) attributes() {
	for _, at := range ofStatements.FindAllIndex(w.code, -1) {
		from, to := at[0], len(w.code)
		for i, depth := at[0], 0; i < to; i++ {
			switch c := w.code[i]; {
			case c == '(':
				depth++
			case c == ',' && depth == 2:
				from, to = at[0]+bytes.IndexByte(w.code[at[0]:], '(')+1, i+1
				from += bytes.IndexByte(w.code[from:], '(') + 1
			case c == ')':
				if depth--; depth == 0 {
					to = i + 1
				}
			}
		}
		for i := from; i < to; i++ {
			if c := w.code[i]; c != '\n' && c != '\\' {
				w.in[i], w.code[i] = ' ', ' '
			}
		}
	}
}

// copyTo copies the text up to an index.
func (w *rewriter) copyTo(from, to int) {
	for _, c := range w.in[from:to] {
		w.out.WriteByte(c)
		w.col++
		if c == '\n' {
			w.line, w.col, w.moved = w.line+1, 0, 0
		}
	}
}

// insert puts a text in the place of n bytes.
func (w *rewriter) insert(s string, n int32) {
	w.out.WriteString(s)
	w.col += int32(len(s))
	w.edits = append(w.edits, edit{line: w.line, col: w.col + 1 - (int32(len(s)) - n), longer: int32(len(s)) - n})
}

// blocks rewrites the block literals.
func (w *rewriter) blocks() {
	w.line = 1
	ends := map[int]int{} // how many literals end after the brace at an index
	done := 0
	for i := 0; i < len(w.code); i++ {
		switch w.code[i] {
		case '^':
			params, body, ok := w.literal(i)
			if !ok {
				continue
			}
			end := w.match(body)
			if end < 0 {
				continue
			}
			ends[end]++
			w.copyTo(done, i)
			done = i + 1
			result := strings.TrimSpace(string(w.code[i+1 : min(params, body)]))
			if result == "" {
				w.insert("({extern __clc_deduced __clc_block", 1)
			} else {
				w.insert("({extern ", 1)
				w.copyTo(done, min(params, body))
				done = min(params, body)
				w.insert(" __clc_block", 0)
			}
			if params < body {
				w.copyTo(done, w.match(params)+1)
				done = w.match(params) + 1
				w.insert(";", 0)
			} else {
				w.insert("(void);", 0)
			}
			w.copyTo(done, body)
			done = body
			i = body
		case '}':
			if n := ends[i]; n > 0 {
				w.copyTo(done, i+1)
				done = i + 1
				w.insert(strings.Repeat("})", n), 0)
			}
		}
	}
	w.copyTo(done, len(w.in))
}

// literal reports whether a block literal begins at an index, and where its parameters (if it has
// any; otherwise params is body) and its body begin.
func (w *rewriter) literal(at int) (params, body int, ok bool) {
	if p := w.before(at); p >= 0 {
		switch c := w.code[p]; {
		case isWord(c):
			if !strings.HasSuffix(string(w.code[max(0, p-6):p+1]), "return") {
				return 0, 0, false
			}
		case c == ')' || c == ']':
			return 0, 0, false
		}
	}
	i := at + 1
	for ; i < len(w.code); i++ {
		switch c := w.code[i]; {
		case c == '{':
			return i, i, true
		case c == '(':
			end := w.match(i)
			if end < 0 {
				return 0, 0, false
			}
			j := w.after(end + 1)
			return i, j, j < len(w.code) && w.code[j] == '{'
		case isWord(c) || c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '*' || c == '\\':
		default:
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// before returns the index of the last byte before an index that is no blank, or -1.
func (w *rewriter) before(at int) int {
	for at--; at >= 0 && strings.IndexByte(" \t\r\n\\", w.code[at]) >= 0; at-- {
	}
	return at
}

// after returns the index of the first byte from an index on that is no blank.
func (w *rewriter) after(at int) int {
	for at < len(w.code) && strings.IndexByte(" \t\r\n\\", w.code[at]) >= 0 {
		at++
	}
	return at
}

// match returns the index of the bracket that closes the one at an index, or -1.
func (w *rewriter) match(at int) int {
	open := w.code[at]
	shut := map[byte]byte{'(': ')', '{': '}', '[': ']'}[open]
	depth := 0
	for i := at; i < len(w.code); i++ {
		switch w.code[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
