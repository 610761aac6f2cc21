package litmus

import "strings"

// threadAhead reports whether a thread is next.
func (p *parser) threadAhead() bool {
	n := 0
	for isThreadPrefix(p.peekAt(n).text) {
		n++
	}
	return n > 0 || isThreadName(p.peek().text)
}

// isThreadPrefix reports whether the word may precede a thread's name.
func isThreadPrefix(word string) bool {
	return word == "kernel" || word == "__kernel" || word == "void"
}

// thread parses P0 (parameters) {...}.
func (p *parser) thread() *thread {
	for isThreadPrefix(p.peek().text) {
		p.next()
	}
	name := p.word("the name of a thread")
	if !isThreadName(name.text) {
		p.failf(name.pos, "expected the name of a thread, as P0, found %v", name)
	}
	t := &thread{pos: name.pos, num: p.threadNumber(name)}
	if at := p.peek(); p.accept("@") {
		t.at = p.placement(at.pos)
	}
	p.expect("(", "before the parameters of "+name.text)
	for !p.accept(")") {
		t.params = append(t.params, p.param())
		if !p.is(")") {
			p.expect(",", "between parameters")
		}
	}
	if !p.is("{") {
		p.failf(p.peek().pos, "expected the body of %s in braces, found %v", name.text, p.peek())
	}
	t.body = p.block()
	return t
}

// placement parses what follows @ in P0@sg 0, wg 0, dev 0 (...).
func (p *parser) placement(at pos) *placement {
	pl := &placement{pos: at, device: -1, group: -1, sub: -1}
	levels := map[string]*int{"dev": &pl.device, "wg": &pl.group, "sg": &pl.sub}
	for !p.is("(") {
		t := p.word("dev, wg or sg")
		level := levels[t.text]
		if level == nil {
			p.hintf(t.pos, "place a thread with dev, wg and sg, as in P0@wg 0, dev 0 (...)", "unknown level %v", t)
		}
		if *level >= 0 {
			p.failf(t.pos, "%s is given twice", t.text)
		}
		n := p.number("a number after " + t.text)
		if n > maxThreadNumber {
			p.failf(t.pos, "the number of %s is too large", t.text)
		}
		*level = int(n)
		p.accept(",")
	}
	return pl
}

// param parses a parameter: its qualifiers in any order, a star and a name.
func (p *parser) param() param {
	out := param{pos: p.peek().pos}
	star, typed, placed := false, false, false
	for {
		t := p.peek()
		word := strings.TrimLeft(t.text, "_")
		region, isRegion := regions[word]
		switch {
		case p.accept("*"):
			star = true
		case t.kind != tokWord:
			p.hintf(t.pos, "a parameter is written as in global atomic_int* x", "expected a parameter, found %v", t)
		case word == "volatile" || word == "const" || word == "restrict":
			p.next()
		case isRegion:
			if placed {
				p.failf(t.pos, "a parameter has only one region")
			}
			out.region, placed = region, true
			p.next()
		case word == "private" || word == "constant":
			p.hintf(t.pos, "the regions are global, global_fga and local", "%s memory is not shared between threads", word)
		case word == "int" || word == "atomic_int":
			out.atomic, typed = word == "atomic_int", true
			p.next()
		case !typed:
			p.hintf(t.pos, "a parameter is written as in global atomic_int* x", "unknown type or region %v", t)
		case !star:
			p.hintf(t.pos, "a parameter is written as in global atomic_int* x", "a parameter must be a pointer")
		default:
			out.pos, out.name = t.pos, p.next().text
			return out
		}
	}
}

// block parses statements in braces.
func (p *parser) block() []stmt {
	open := p.expect("{", "to begin a block")
	var list []stmt
	for !p.accept("}") {
		if p.peek().kind == tokEOF {
			p.failf(open.pos, "this block is not closed by }")
		}
		list = append(list, p.statement()...)
	}
	return list
}

// statement parses one statement, which may declare several registers.
func (p *parser) statement() []stmt {
	defer p.enter()()
	t := p.peek()
	switch {
	case p.accept(";"):
		return nil
	case p.is("{"):
		return p.block()
	case p.accept("if"):
		return []stmt{p.ifStatement()}
	case p.accept("while"):
		p.expect("(", "after while")
		w := &whileStmt{pos: t.pos, cond: p.expression()}
		p.expect(")", "after the condition of while")
		w.body = p.statement()
		return []stmt{w}
	case p.accept("int"):
		return p.declaration()
	case p.accept("*"):
		s := &storeStmt{pos: t.pos, loc: p.word("a location after *").text}
		p.expect("=", "after the location of a store")
		s.value = p.expression()
		p.semicolon()
		return []stmt{s}
	case t.kind != tokWord:
		p.failf(t.pos, "expected a statement, found %v", t)
	}
	return []stmt{p.wordStatement()}
}

func (p *parser) semicolon() {
	p.expect(";", "after a statement")
}

func (p *parser) ifStatement() stmt {
	p.expect("(", "after if")
	s := &ifStmt{cond: p.expression()}
	p.expect(")", "after the condition of if")
	s.then = p.statement()
	if p.accept("else") {
		s.alt = p.statement()
	}
	return s
}

// declaration parses what follows int: r0 = 1, r1;
func (p *parser) declaration() []stmt {
	var list []stmt
	for {
		if t := p.peek(); t.text == "*" {
			p.hintf(t.pos, "name the location, and load it by *x", "registers are ints, not pointers")
		}
		t := p.word("a register")
		s := &assignStmt{pos: t.pos, name: t.text, decl: true}
		if p.accept("=") {
			s.value = p.expression()
		}
		list = append(list, s)
		if !p.accept(",") {
			break
		}
	}
	p.semicolon()
	return list
}

// unsupported are the statements of C that litmus tests do without.
var unsupported = map[string]bool{"for": true, "do": true, "return": true, "break": true, "continue": true, "goto": true, "switch": true}

// trailers are the words that may follow the last thread.
var trailers = map[string]bool{"scopeTree": true, "locations": true, "exists": true, "forall": true, "filter": true}

// wordStatement parses an assignment, a call or a labelled statement.
func (p *parser) wordStatement() stmt {
	t := p.peek()
	switch {
	case unsupported[t.text]:
		p.hintf(t.pos, "use if and while", "%s is not supported", t.text)
	case isThreadName(t.text), trailers[t.text]:
		p.failf(t.pos, "%v inside a thread: its body is not closed by }", t)
	}
	switch p.peekAt(1).text {
	case "=":
		p.at += 2
		s := &assignStmt{pos: t.pos, name: t.text, value: p.expression()}
		p.semicolon()
		return s
	case ":":
		p.at += 2
		s := &exprStmt{label: t.text, pos: t.pos, value: p.expression()}
		if _, ok := s.value.(*callExpr); !ok {
			p.failf(t.pos, "only a barrier can have a label")
		}
		p.semicolon()
		return s
	}
	s := &exprStmt{pos: t.pos, value: p.expression()}
	if _, ok := s.value.(*callExpr); !ok {
		p.failf(t.pos, "this expression is not a statement")
	}
	p.semicolon()
	return s
}
