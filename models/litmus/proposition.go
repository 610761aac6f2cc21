package litmus

// ParseCondition reads a proposition over the variables of an outcome, as the condition of a test
// has it: x=1 /\ 1:r0=0, or x==1 && 1:r0==0. It returns the names of the variables as well. The
// quantifier exists may stand before it.
func ParseCondition(text string) (c Cond, vars []string, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			err = e
		default:
			panic(e)
		}
	}()
	if len(text) > maxSource {
		return nil, nil, &Error{File: "condition", Line: 1, Col: 1, Msg: "the condition is larger than 1 MiB"}
	}
	src := newSource("condition", text)
	p := &parser{source: src, tokens: lex(src, 0)}
	p.accept("exists")
	q := condParser{parser: p}
	c = q.or()
	if t := p.peek(); t.kind != tokEOF {
		p.failf(t.pos, "unexpected %v after the condition", t)
	}
	return c, names(q.vars), nil
}
