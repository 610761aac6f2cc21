package litmus

import "regexp"

// outcomeName is a name of a value of an outcome, where it is more than a word: 1:r0, r#2, k(0,1)@2.1:r, "any".
var outcomeName = regexp.MustCompile(`^(?:"[^"\n]+"|(?:` + observer + `:)+` + word + `(?:#\d+)?|` + word + `#\d+)`)

const (
	word     = `[A-Za-z_]\w*`
	observer = `(?:\d+|` + word + `(?:\(\d+(?:,\d+)*\))?(?:@\d+(?:\.\d+)*)?)`
)

// ParseCondition reads a proposition over the variables of an outcome, as the condition of a test
// has it: x=1 /\ 1:r0=0, or x==1 && 1:r0==0. Variables are named as outcomes of programs in other
// languages name them, too, in quotation marks where a name is none that a program could have. It returns
// the names of the variables as well. The quantifier exists may stand before it.
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
	p := &parser{source: src, tokens: lexNames(src)}
	p.accept("exists")
	q := condParser{parser: p, wide: true}
	c = q.or()
	if t := p.peek(); t.kind != tokEOF {
		p.failf(t.pos, "unexpected %v after the condition", t)
	}
	return c, names(q.vars), nil
}
