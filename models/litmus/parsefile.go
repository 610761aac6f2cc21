package litmus

import (
	"regexp"
	"strings"
)

// Limits on what a test may contain; real ones are far smaller.
const (
	maxSource       = 1 << 20
	maxThreads      = 64
	maxLocations    = 1000
	maxNames        = 1000 // registers, and labels, of a thread
	maxThreadNumber = 9999
)

// header is the first line, after blanks and comments, and infoLine a line
// before the initial block that says something to other tools.
var (
	header   = regexp.MustCompile(`^(?i:opencl)[ \t]+([^\r\n]+)`)
	infoLine = regexp.MustCompile(`^[ \t\r]*(\n|"[^"\n]*"[ \t\r]*\n|[A-Za-z][\w-]*=[^\n]*\n)`)
)

// parseFile parses a whole test.
func parseFile(src *source) *file {
	f := &file{}
	start := &lexer{source: src, at: len(src.text) - len(strings.TrimPrefix(src.text, "\ufeff"))}
	start.blanks()
	m := header.FindStringSubmatch(src.text[start.at:])
	if m == nil {
		src.hintf(pos(start.at), "the first line is the architecture and a name, as in: OpenCL MP", "not an OpenCL litmus test")
	}
	f.name = strings.TrimSpace(m[1])
	at := start.at + len(m[0])
	for {
		n := len(infoLine.FindString(src.text[at:]))
		if n == 0 {
			break
		}
		at += n
	}
	p := &parser{source: src, tokens: lex(src, at)}
	p.file(f)
	return f
}

// file parses what follows the header.
func (p *parser) file(f *file) {
	for p.peek().kind == tokString {
		p.next()
	}
	p.initial(f)
	for p.threadAhead() {
		f.threads = append(f.threads, p.thread())
		if len(f.threads) > maxThreads {
			p.failf(p.peek().pos, "more than %d threads", maxThreads)
		}
	}
	if len(f.threads) == 0 {
		p.failf(p.peek().pos, "expected a thread, as in P0 (global atomic_int* x) {...}, found %v", p.peek())
	}
	p.trailer(f)
}

// initial parses the initial block: { [x]=0; y=1; 0:r0=2; }.
func (p *parser) initial(f *file) {
	p.expect("{", "to begin the initial block")
	for !p.accept("}") {
		if p.accept(";") {
			continue
		}
		in := initial{variable: p.variable()}
		p.expect("=", "after a variable of the initial block")
		if t := p.peek(); t.kind == tokWord || t.text == "&" {
			p.hintf(t.pos, "pointers are not supported: a thread uses the locations of its parameters", "the initial value must be an int")
		}
		in.value = p.integer("an initial value")
		f.init = append(f.init, in)
		if !p.is("}") {
			p.expect(";", "after an initial value")
		}
	}
}

// variable parses x, [x], 1:r0 or P1:r0.
func (p *parser) variable() variable {
	t := p.peek()
	switch {
	case p.accept("["):
		v := variable{t.pos, -1, p.word("a location").text}
		p.expect("]", "after a location")
		return v
	case t.kind == tokNumber, isThreadName(t.text) && p.peekAt(1).text == ":":
		return p.register()
	case t.kind == tokName:
		return variable{t.pos, -1, p.next().text}
	}
	return variable{t.pos, -1, p.word("a variable, as x or 1:r0").text}
}

// register parses 1:r0 or P1:r0.
func (p *parser) register() variable {
	t := p.next()
	name := t
	if t.kind == tokNumber {
		name.text = "P" + t.text
	}
	if !isThreadName(name.text) {
		p.failf(t.pos, "expected the number of a thread, found %v", t)
	}
	n := p.threadNumber(name)
	p.expect(":", "between a thread and its register")
	return variable{t.pos, n, p.word("a register").text}
}

// trailer parses the scope tree, the locations and the condition.
func (p *parser) trailer(f *file) {
	for {
		t := p.peek()
		switch {
		case p.is("scopeTree") || p.is("scopetree") || p.is("scope_tree"):
			p.next()
			if f.tree != nil {
				p.failf(t.pos, "a second scope tree")
			}
			f.treePos, f.tree = t.pos, p.scopeTree()
		case p.accept("locations"):
			f.locations = append(f.locations, p.locations()...)
		case p.is("filter"):
			p.hintf(t.pos, "restrict the outcomes in the condition", "filter is not supported")
		case t.kind == tokEOF && f.locations != nil:
			f.quant, f.cond = Forall, truth(true)
			return
		default:
			p.condition(f)
			return
		}
	}
}

// locations parses the list [x; 1:r0;].
func (p *parser) locations() []variable {
	p.expect("[", "after locations")
	list := []variable{}
	for !p.accept("]") {
		if p.accept(";") {
			continue
		}
		list = append(list, p.variable())
		if !p.is("]") {
			p.expect(";", "between locations")
		}
	}
	return list
}
