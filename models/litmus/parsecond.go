package litmus

// condition parses the final condition, which ends the file.
func (p *parser) condition(f *file) {
	f.quant = p.quantifier()
	c := condParser{parser: p}
	f.cond = c.or()
	f.condVars = c.vars
	p.accept(";")
	if t := p.peek(); t.kind != tokEOF {
		p.failf(t.pos, "unexpected %v after the condition", t)
	}
}

// quantifier parses exists, forall, ~exists or not exists.
func (p *parser) quantifier() Quantifier {
	t := p.peek()
	negated := p.accept("~") || p.accept("not")
	switch {
	case p.accept("exists"):
		if negated {
			return NotExists
		}
		return Exists
	case !negated && p.accept("forall"):
		return Forall
	}
	hint := nearest(p.peek().text, []string{"exists", "forall", "scopeTree", "locations"})
	if hint == "" {
		hint = "a test ends with a condition, as in: exists (1:r0=1)"
	}
	p.hintf(t.pos, hint, "expected scopeTree, locations, exists, forall or ~exists, found %v", p.peek())
	return 0
}

// condParser collects the variables of a proposition while parsing it.
type condParser struct {
	*parser
	vars []variable
	wide bool // values need not fit in an int
}

func (c *condParser) or() Cond { return c.connective(false, c.and, `\/`, "||", "or") }

func (c *condParser) and() Cond { return c.connective(true, c.not, `/\`, "&&", "and") }

// connective parses operands separated by any of the marks.
func (c *condParser) connective(and bool, operand func() Cond, marks ...string) Cond {
	parts := []Cond{operand()}
	for c.anyOf(marks) {
		c.next()
		parts = append(parts, operand())
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return connect{and, parts}
}

func (c *condParser) not() Cond {
	defer c.enter()()
	switch {
	case c.accept("~"), c.accept("not"), c.accept("!"):
		return negate{c.not()}
	case c.accept("("):
		x := c.or()
		c.expect(")", "after a condition in parentheses")
		return x
	case c.accept("true"):
		return truth(true)
	case c.accept("false"):
		return truth(false)
	}
	return c.comparison()
}

// comparison parses x=1.
func (c *condParser) comparison() Cond {
	v := c.variable()
	c.vars = append(c.vars, v)
	op := c.next()
	switch op.text {
	case "=", "==":
		op.text = "="
	case "!=", "<>":
		op.text = "!="
	case "<", "<=", ">", ">=":
	default:
		c.failf(op.pos, "expected = after %v, found %v", v, op)
	}
	if t := c.peek(); t.kind == tokWord {
		c.failf(t.pos, "a condition compares variables to numbers, not to %v", t)
	}
	if c.wide {
		return compare{name: v.String(), op: op.text, value: c.whole("a value")}
	}
	return compare{name: v.String(), op: op.text, value: c.integer("a value")}
}
