package litmus

// precedence lists the binary operators, loosest first.
var precedence = [][]string{
	{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"},
}

// expression parses an expression.
func (p *parser) expression() expr { return p.binary(0) }

// binary parses operators of precedence level and tighter.
func (p *parser) binary(level int) expr {
	if level == len(precedence) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for n := 1; p.anyOf(precedence[level]); n++ {
		p.bounded(n)
		op := p.next()
		x = &binaryExpr{op.pos, op.text, x, p.binary(level + 1)}
	}
	return x
}

func (p *parser) anyOf(marks []string) bool {
	for _, m := range marks {
		if p.is(m) {
			return true
		}
	}
	return false
}

// unary parses a prefix operator or a primary expression.
func (p *parser) unary() expr {
	defer p.enter()()
	t := p.peek()
	switch {
	case t.text == "-" && p.peekAt(1).kind == tokNumber, t.kind == tokNumber:
		return &numberExpr{t.pos, p.integer("a number")}
	case p.accept("-"), p.accept("!"), p.accept("~"):
		return &unaryExpr{t.pos, t.text, p.unary()}
	case p.accept("+"):
		return p.unary()
	case p.accept("("):
		x := p.expression()
		p.expect(")", "after an expression in parentheses")
		return x
	case p.accept("*"):
		return p.load(t)
	case p.is("&"):
		p.hintf(t.pos, "pass the location itself, as in atomic_load(x)", "there is no address operator")
	case t.kind != tokWord:
		p.failf(t.pos, "expected an expression, found %v", t)
	}
	p.next()
	if p.is("(") {
		return p.call(t)
	}
	return &nameExpr{t.pos, t.text}
}

// load parses what follows the star of *x or *(x).
func (p *parser) load(star token) expr {
	open := p.accept("(")
	loc := p.word("a location after *")
	if open {
		p.expect(")", "after a location")
	}
	return &loadExpr{star.pos, loc.text}
}

// call parses the arguments of a call.
func (p *parser) call(name token) expr {
	c := &callExpr{pos: name.pos, name: name.text}
	p.expect("(", "before arguments")
	for !p.accept(")") {
		c.args = append(c.args, p.expression())
		if !p.is(")") {
			p.expect(",", "between the arguments of "+name.text)
		}
	}
	return c
}
