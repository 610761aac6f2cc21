package litmus

import "strconv"

// maxDepth bounds the nesting of statements, expressions and conditions, and
// the number of operators in a row.
const maxDepth = 500

// parser is a recursive-descent parser with as many tokens of lookahead as it
// likes. It reports errors by panicking, as source describes.
type parser struct {
	*source
	tokens []token
	at     int
	depth  int
}

func (p *parser) peek() token { return p.tokens[p.at] }

// peekAt returns the token n after the next.
func (p *parser) peekAt(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != tokEOF {
		p.at++
	}
	return t
}

// is reports whether the next token is this mark or word.
func (p *parser) is(text string) bool {
	t := p.peek()
	return t.text == text && (t.kind == tokPunct || t.kind == tokWord)
}

// accept skips the next token if it is this mark or word.
func (p *parser) accept(text string) bool {
	ok := p.is(text)
	if ok {
		p.at++
	}
	return ok
}

// expect skips the mark or word, which must be next; context says where.
func (p *parser) expect(text, context string) token {
	t := p.peek()
	if !p.accept(text) {
		p.failf(t.pos, "expected %q %s, found %v", text, context, t)
	}
	return t
}

// word skips a word, which must be next.
func (p *parser) word(what string) token {
	t := p.next()
	if t.kind != tokWord {
		p.failf(t.pos, "expected %s, found %v", what, t)
	}
	return t
}

// number skips an unsigned number, which must be next.
func (p *parser) number(what string) int64 {
	t := p.next()
	if t.kind != tokNumber {
		p.failf(t.pos, "expected %s, found %v", what, t)
	}
	v, err := strconv.ParseInt(t.text, 0, 64)
	if err != nil {
		p.failf(t.pos, "%v is not a number of 64 bits", t)
	}
	return v
}

// whole skips a number of 64 bits with an optional sign. Without one it may be an unsigned one, and stands for the
// same bits.
func (p *parser) whole(what string) int64 {
	negative := p.accept("-")
	t := p.next()
	if t.kind != tokNumber {
		p.failf(t.pos, "expected %s, found %v", what, t)
	}
	v, err := strconv.ParseUint(t.text, 0, 64)
	if err != nil || negative && v > 1<<63 {
		p.failf(t.pos, "%v is not a number of 64 bits", t)
	}
	if negative {
		return -int64(v)
	}
	return int64(v)
}

// signed skips a number with an optional sign.
func (p *parser) signed(what string) (start token, v int64) {
	start = p.peek()
	negative := p.accept("-")
	if v = p.number(what); negative {
		v = -v
	}
	return start, v
}

// integer skips a number with an optional sign that fits in an int.
func (p *parser) integer(what string) int64 {
	start, v := p.signed(what)
	if v != int64(int32(v)) {
		p.failf(start.pos, "%d does not fit in an int", v)
	}
	return v
}

// threadNumber returns the number in a thread's name.
func (p *parser) threadNumber(t token) int {
	n, err := strconv.Atoi(t.text[1:])
	if err != nil || n > maxThreadNumber {
		p.failf(t.pos, "thread number in %v is too large", t)
	}
	return n
}

// enter guards a recursive production; its result undoes it.
func (p *parser) enter() (leave func()) {
	p.depth++
	p.bounded(p.depth)
	return func() { p.depth-- }
}

// bounded fails when n exceeds maxDepth.
func (p *parser) bounded(n int) {
	if n > maxDepth {
		p.failf(p.peek().pos, "nested too deeply (more than %d levels)", maxDepth)
	}
}
