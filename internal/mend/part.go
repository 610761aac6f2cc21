package mend

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// A barrier between two statements that are under one condition cannot move to where all come by: the condition has to be parted. What is before the
// barrier, and what is behind it, each gets the condition, which must then hold or not hold as before.

// conditional is an if with its branches, each between braces, or what follows an early return.
type conditional struct {
	from, to int // in the text
	branches []branch
	rest     bool // it is what follows an early return: its lines are to be indented
}

// branch is one of its branches. The last one may have no condition.
type branch struct {
	cond     string
	from, to int // between its braces
}

// Cut is a statement at which a conditional is parted, and what comes between the parts.
type Cut = Edit

// Part parts the innermost conditional around the first of some statements at all of them that are directly in its branches. It returns by how many statements it is
// parted, and which have gone; none if it cannot be done.
func Part(text string, inGo bool, cuts []Cut) (out string, by int, gone []int) {
	p := &parting{text: text, inGo: inGo}
	var best *conditional
	for _, c := range p.conditionals() {
		if c.holds(p, cuts[0].From) && (best == nil || c.from >= best.from) {
			best = c
		}
	}
	if best == nil {
		return text, 0, nil
	}
	segments, bys, gone := p.segments(best, cuts)
	if segments == nil || !p.stable(best, segments) {
		return text, 0, nil
	}
	out = text[:best.from] + p.written(best, segments, bys) + text[best.to:]
	if inGo {
		out = Formatted(text, out)
	}
	return out, len(bys), gone
}

// parting reads the conditionals of a text.
type parting struct {
	text string
	inGo bool
}

// conditionals lists those of a text.
func (p *parting) conditionals() (out []*conditional) {
	depth, bodies := 0, []int{}
	for i := 0; i < len(p.text); {
		switch b := p.text[i]; {
		case b == '"' || b == '\'' || b == '`':
			i = quoted(p.text, i)
		case strings.HasPrefix(p.text[i:], "//"), strings.HasPrefix(p.text[i:], "/*"):
			i = comment(p.text, i)
		case b == '#' && !p.inGo:
			i = directive(p.text, i)
		case b == '{':
			depth++
			bodies = append(bodies, i)
			i++
		case b == '}':
			if depth--; len(bodies) > 0 {
				bodies = bodies[:len(bodies)-1]
			}
			i++
		case letter(b):
			w, to := word(p.text, i)
			if w == "if" && p.own(i) {
				if c := p.conditional(i); c != nil {
					out = append(out, c)
				}
				if c := p.early(i, bodies); c != nil {
					out = append(out, c)
				}
			}
			i = to
		default:
			i++
		}
	}
	return out
}

// own reports whether a statement that begins at a place is in a block, and not all that is under something without braces.
func (p *parting) own(at int) bool {
	if p.inGo {
		return !strings.HasSuffix(strings.TrimRight(p.text[:at], " \t\r\n"), "else")
	}
	return strings.IndexByte(";{}", lastBefore(p.text, at)) >= 0
}

// condition reads the condition behind an if, and returns it with where it ends.
func (p *parting) condition(at int) (cond string, end int) {
	from := blank(p.text, at)
	if !p.inGo {
		if from == len(p.text) || p.text[from] != '(' {
			return "", -1
		}
		end = skipTo(p.text, from+1, ')')
		return strings.TrimSpace(p.text[from+1 : min(end, len(p.text))]), end + 1
	}
	for end = from; end < len(p.text) && p.text[end] != '{'; {
		switch b := p.text[end]; b {
		case '"', '\'', '`':
			end = quoted(p.text, end)
		case '(', '[':
			end = skipTo(p.text, end+1, map[byte]byte{'(': ')', '[': ']'}[b]) + 1
		default:
			end++
		}
	}
	return strings.TrimSpace(p.text[from:min(end, len(p.text))]), end
}

// conditional reads an if with the branches that follow, all between braces; nil if it is another one.
func (p *parting) conditional(at int) *conditional {
	c := &conditional{from: at}
	for next := at + len("if"); ; {
		cond, end := p.condition(next)
		if end < 0 || end > len(p.text) || cond == "" {
			return nil
		}
		to := p.block(c, cond, end)
		if to < 0 {
			return nil
		}
		c.to = to
		i := blank(p.text, to)
		w, behind := word(p.text, i)
		if w != "else" {
			return c
		}
		i = blank(p.text, behind)
		if w, behind := word(p.text, i); w == "if" {
			next = behind
			continue
		}
		if to = p.block(c, "", i); to < 0 {
			return nil
		}
		c.to = to
		return c
	}
}

// block adds a branch whose braces begin at a place, or behind blanks there, and returns where they have ended; -1 if there are none.
func (p *parting) block(c *conditional, cond string, at int) int {
	at = blank(p.text, at)
	if at >= len(p.text) || p.text[at] != '{' {
		return -1
	}
	end := skipTo(p.text, at+1, '}')
	if end >= len(p.text) {
		return -1
	}
	c.branches = append(c.branches, branch{cond, at + 1, end})
	return end + 1
}

// returns is all that a branch has which leaves its function.
var returns = regexp.MustCompile(`^\{?\s*return\s*;?\s*\}?$`)

var comments = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)

// early reads an if whose branch returns from a function, as a conditional of what follows; nil if it is another one.
func (p *parting) early(at int, bodies []int) *conditional {
	cond, end := p.condition(at + len("if"))
	if len(bodies) != 1 || end < 0 || end > len(p.text) || cond == "" {
		return nil
	}
	from := blank(p.text, end)
	to := skipTo(p.text, from, ';') + 1
	if from < len(p.text) && p.text[from] == '{' {
		to = skipTo(p.text, from+1, '}') + 1
	}
	last := skipTo(p.text, bodies[0]+1, '}')
	if to > last || last >= len(p.text) || !returns.MatchString(comments.ReplaceAllString(p.text[from:to], "")) {
		return nil
	}
	if w, _ := word(p.text, blank(p.text, to)); w == "else" {
		return nil
	}
	return &conditional{from: at, to: last, branches: []branch{{"!(" + cond + ")", to, last}}, rest: true}
}

// holds reports whether a place is directly in a branch, and not in a block of it.
func (c *conditional) holds(p *parting, at int) bool {
	for _, b := range c.branches {
		if at >= b.from && at < b.to {
			return p.direct(b.from, at)
		}
	}
	return false
}

// direct reports whether a statement begins at a place that is in no bracket since another one.
func (p *parting) direct(from, at int) bool {
	depth := 0
	for i := from; i < at; {
		switch b := p.text[i]; {
		case b == '"' || b == '\'' || b == '`':
			i = quoted(p.text, i)
			continue
		case strings.HasPrefix(p.text[i:], "//"), strings.HasPrefix(p.text[i:], "/*"):
			i = comment(p.text, i)
			continue
		case strings.IndexByte("({[", b) >= 0:
			depth++
		case strings.IndexByte(")}]", b) >= 0:
			depth--
		}
		i++
	}
	before := strings.TrimRight(p.text[:at], " \t\r\n")
	return depth == 0 && (p.inGo || lastBefore(p.text, at) != ')' && !strings.HasSuffix(before, "else"))
}

// segments cuts the branches of a conditional: by branch, what comes before each of the cuts and behind the last one. A branch without any is all before. The others must have
// equally many.
func (p *parting) segments(c *conditional, cuts []Cut) (all [][]string, bys []string, gone []int) {
	for _, b := range c.branches {
		var own []Cut
		for i, cut := range cuts {
			if cut.From >= b.from && cut.To <= b.to && p.direct(b.from, blank(p.text, cut.From)) {
				own, gone = append(own, cut), append(gone, i)
			}
		}
		slices.SortFunc(own, func(a, b Cut) int { return a.From - b.From })
		if len(own) > 0 && bys != nil && len(bys) != len(own) {
			return nil, nil, nil
		}
		list, at, begin := []string{}, b.from, ""
		for i, cut := range own {
			list, at, begin = append(list, begin+p.text[at:cut.From]), cut.To, ""
			if p.text[cut.To-1] == '\n' { // its whole line has gone
				begin = "\n"
			}
			if len(bys) <= i {
				bys = append(bys, cut.By)
			}
		}
		all = append(all, append(list, begin+p.text[at:b.to]))
	}
	for i := range all {
		for len(all[i]) <= len(bys) {
			all[i] = append(all[i], "")
		}
	}
	return all, bys, gone
}

// written is the conditional, parted.
func (p *parting) written(c *conditional, segments [][]string, bys []string) string {
	line := p.text[strings.LastIndexByte(p.text[:c.from], '\n')+1 : c.from]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	var parts []string
	for s := range len(bys) + 1 {
		if s > 0 {
			parts = append(parts, bys[s-1])
		}
		if !slices.ContainsFunc(segments, func(list []string) bool { return strings.TrimSpace(list[s]) != "" }) {
			continue
		}
		var b strings.Builder
		some := len(c.branches)
		for some > 1 && strings.TrimSpace(segments[some-1][s]) == "" {
			some--
		}
		for i, br := range c.branches[:some] {
			switch {
			case i > 0 && br.cond == "":
				b.WriteString(" else ")
			case i > 0:
				b.WriteString(" else ")
				fallthrough
			default:
				b.WriteString("if " + p.bracketed(br.cond) + " ")
			}
			b.WriteString(p.braced(segments[i][s], indent, c.rest))
		}
		parts = append(parts, b.String())
	}
	end := ""
	if c.rest {
		end = "\n"
	}
	return strings.Join(parts, "\n"+indent) + end
}

func (p *parting) bracketed(cond string) string {
	if p.inGo {
		return cond
	}
	return "(" + cond + ")"
}

// braced puts statements between braces.
func (p *parting) braced(text, indent string, deeper bool) string {
	begin, first := "{\n", strings.TrimLeft(text, " \t\r")
	switch all := strings.TrimSpace(text); {
	case all == "":
		return "{\n" + indent + "}"
	case strings.HasPrefix(first, "\n"):
		text = first[1:]
	case !deeper && !strings.Contains(all, "\n") && !strings.Contains(all, "//"):
		return "{ " + all + " }"
	case !deeper: // a comment, perhaps, beside the brace
		begin, text = "{ ", first
	}
	text = strings.TrimRight(text, " \t\r\n")
	if deeper {
		more := indent
		if more == "" {
			more = "  "
		}
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			if strings.TrimSpace(l) != "" {
				lines[i] = more + l
			}
		}
		text = strings.Join(lines, "\n")
	}
	return begin + text + "\n" + indent + "}"
}

var identifiers = regexp.MustCompile(`[A-Za-z_]\w*`)

// leaving are words that leave a block.
var leaving = regexp.MustCompile(`\b(return|break|continue|goto)\b`)

var directives = regexp.MustCompile(`(?m)^\s*#`)

// stable reports whether conditions hold or not when they are asked again, behind a part of their branches, and whether what is declared in a part is used in no later one.
func (p *parting) stable(c *conditional, segments [][]string) bool {
	shared := p.shared()
	before := ""
	for s := range len(segments[0]) - 1 {
		behind := ""
		for _, list := range segments {
			before += list[s] + "\n"
			behind += list[s+1] + "\n"
		}
		for _, id := range identifiers.FindAllString(behind, -1) {
			if declares(before, id) {
				return false
			}
		}
	}
	if leaving.MatchString(before) || !p.inGo && directives.MatchString(before) {
		return false
	}
	for _, b := range c.branches {
		if !p.pure(b.cond) {
			return false
		}
		for _, id := range identifiers.FindAllString(b.cond, -1) {
			if slices.Contains(shared, id) || changes(before, id) || p.hidden(before, id) {
				return false
			}
		}
	}
	return true
}

// plain is what a macro may be whose value never changes.
var plain = regexp.MustCompile(`^[\s()\w-]*$`)

// hidden reports whether a variable may change, or be more than one, in a way that the text does not show: by its address, or by a macro.
func (p *parting) hidden(before, id string) bool {
	if regexp.MustCompile(`[^&]&\s*` + regexp.QuoteMeta(id) + `\b`).MatchString(p.text) {
		return true
	}
	if p.inGo {
		return false
	}
	if m, err := definition(p.text, id); err != nil || m != nil && (m.likeACall || !plain.MatchString(p.text[m.body:m.end])) {
		return true
	}
	for _, call := range anyCall.FindAllStringSubmatch(before, -1) {
		if m, err := definition(p.text, call[1]); (err != nil || m != nil) && regexp.MustCompile(`\b`+regexp.QuoteMeta(id)+`\b`).MatchString(before) {
			return true
		}
	}
	return false
}

// asking are calls that have the same result each time: those that ask for ids and sizes, and conversions.
var asking = regexp.MustCompile(`^((\w+\.)?(get_|Get)\w+|u?int\d*|u?long|u?short|u?char|size_t)$`)

var anyCall = regexp.MustCompile(`([A-Za-z_][\w.]*)\s*\(`)

// getter is a function of package cl that asks for an id or a size, compared an operator with a sign of equality that assigns nothing, and deref what is read by a pointer.
var (
	getter   = regexp.MustCompile(`\w+\.(Get\w+)`)
	compared = regexp.MustCompile(`[=!<>]=`)
	deref    = regexp.MustCompile(`(^|[(!&|<>=+\-*/%,]\s*)\*`)
)

// pure reports whether a condition reads nothing but variables, and changes nothing.
func (p *parting) pure(cond string) bool {
	for _, call := range anyCall.FindAllStringSubmatch(cond, -1) {
		if !asking.MatchString(call[1]) {
			return false
		}
	}
	rest := compared.ReplaceAllString(getter.ReplaceAllString(cond, "$1"), "<")
	return !strings.ContainsAny(rest, "[.;=\"'") && !strings.Contains(rest, "->") && !strings.Contains(rest, "++") && !strings.Contains(rest, "--") && !deref.MatchString(rest)
}

// changes reports whether statements may change a variable.
func changes(text, id string) bool {
	q := regexp.QuoteMeta(id)
	return regexp.MustCompile(`\b` + q + `\b\s*([-+*/%&|^]|<<|>>|:|&\^)?=([^=]|$)|\b` + q + `\b\s*(\+\+|--)|(\+\+|--|&)\s*` + q + `\b|\b` + q + `\b[^=\n;{}]*:=`).MatchString(text)
}

// declares reports whether statements declare a name.
func declares(text, id string) bool {
	q := regexp.QuoteMeta(id)
	for _, m := range regexp.MustCompile(`([A-Za-z_]\w*)[\s*]+`+q+`\b\s*[=;,\[]`).FindAllStringSubmatch(text, -1) {
		if !slices.Contains([]string{"else", "case", "in"}, m[1]) {
			return true
		}
	}
	return regexp.MustCompile(`\b` + q + `\b[^=\n;{}]*:=|\bvar\s+` + q + `\b|,\s*` + q + `\s*(=|,|;)`).MatchString(text)
}

var sharedC = regexp.MustCompile(`\b(?:__)?(?:local|global)\b[^;(){}]*;`)

// shared lists the names of variables that others may change.
func (p *parting) shared() (names []string) {
	if !p.inGo {
		for _, d := range sharedC.FindAllString(p.text, -1) {
			names = append(names, identifiers.FindAllString(d, -1)...)
		}
		return names
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", p.text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}
