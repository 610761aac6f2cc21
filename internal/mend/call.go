package mend

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Call is the call of a function that synchronises, as it stands in a text.
type Call struct {
	inGo       bool
	qualifier  string // of names of package cl: "cl."
	name       string // without the qualifier
	shape      *callShape
	from, open int   // where the name begins, and behind the parenthesis
	close      int   // where the closing parenthesis is
	args       []arg // all that are there
	now        ir.Strength
	Macro      string     // that the call is in; "" if it stands where it is made
	others     []*Call    // of that macro, which change with it
	fixed      []int      // arguments that are said by a macro which is passed the others
	operator   *operation // nil of a function
}

// arg is where an argument stands, without blanks around it.
type arg struct{ from, to int }

// callShape says where the arguments of a function are that say how it synchronises; -1 where it has none.
type callShape struct {
	kind                      ir.SiteKind
	order, fail, scope, flags int
	explicit                  bool // it has an order; else Explicit behind its name gives it one
	least                     int  // arguments that it has at least
	order1                    memmodel.Order
}

// shapeOf returns the shape of a function of the vocabulary, by its name in either language; nil if it has none.
func shapeOf(name string) *callShape {
	n := strings.ToLower(strings.ReplaceAll(name, "_", ""))
	n, explicit := strings.CutSuffix(n, "explicit")
	s := &callShape{order: -1, fail: -1, scope: -1, flags: -1, explicit: explicit, order1: memmodel.SeqCst}
	last := func(before, orders int) *callShape {
		s.least = before
		s.order, s.scope = before, before+orders
		if orders == 2 {
			s.fail = before + 1
		}
		if explicit {
			s.least += orders
		}
		return s
	}
	switch {
	case n == "atomicload":
		s.kind = ir.LoadSite
		return last(1, 1)
	case n == "atomicstore":
		s.kind = ir.StoreSite
		return last(2, 1)
	case n == "atomicflagclear":
		s.kind = ir.StoreSite
		return last(1, 1)
	case n == "atomicflagtestandset":
		s.kind = ir.ModifySite
		return last(1, 1)
	case n == "atomicexchange", strings.HasPrefix(n, "atomicfetch"):
		s.kind = ir.ModifySite
		return last(2, 1)
	case n == "atomiccompareexchangestrong", n == "atomiccompareexchangeweak":
		s.kind = ir.ExchangeSite
		return last(3, 2)
	case explicit:
		return nil
	case n == "atomicworkitemfence":
		s.kind, s.flags, s.order, s.scope, s.least, s.explicit = ir.FenceSite, 0, 1, 2, 3, true
		return s
	case n == "workgroupbarrier", n == "barrier", n == "subgroupbarrier":
		s.kind, s.flags, s.scope, s.least = ir.BarrierSite, 0, 1, 1
		return s
	case n == "memfence", n == "readmemfence", n == "writememfence":
		s.kind, s.flags, s.least = ir.FenceSite, 0, 1
		return s
	}
	return nil
}

// FindCall returns the call of a site: it must stand in the text itself, with its order, scope and flags as names, for nobody can change at one place
// what a macro, a parameter or a computation says for several.
func FindCall(text string, inGo bool, site *ir.Site) (*Call, error) {
	at, ok := offset(text, site.ID.Line, site.ID.Col)
	if !ok {
		return nil, fmt.Errorf("the place is not in the text")
	}
	if at < len(text) && !letter(text[at]) {
		return findOperator(text, at, site)
	}
	name, to := word(text, at)
	if inGo {
		return callAt(text, at, inGo, site, nil)
	}
	if s := shapeOf(name); s == nil || s.kind != site.ID.Kind {
		if c, err := findInMacro(text, name, to, site); c != nil || err != nil {
			return c, err
		}
		if site.ID.Kind == ir.LoadSite && s == nil {
			return findOperator(text, at, site)
		}
	}
	return callAt(text, at, inGo, site, nil)
}

// callAt returns the call at a place. within is the macro that it stands in.
func callAt(text string, at int, inGo bool, site *ir.Site, within *macro) (*Call, error) {
	c := &Call{inGo: inGo, from: at, now: site.Strength}
	name, to := word(text, at)
	if inGo && to < len(text) && text[to] == '.' {
		c.qualifier = name + "."
		name, to = word(text, to+1)
	}
	c.name, c.shape = name, shapeOf(name)
	if c.shape == nil || c.shape.kind != site.ID.Kind {
		return nil, fmt.Errorf("%q stands there, which is no function that has an order: what a macro contains is not changed", name)
	}
	if to = blank(text, to); to < len(text) && inGo && text[to] == '[' { // type arguments
		to = blank(text, skipTo(text, to+1, ']')+1)
	}
	if to >= len(text) || text[to] != '(' {
		return nil, fmt.Errorf("%s is not called there", name)
	}
	c.open = to + 1
	var ok bool
	if c.args, c.close, ok = callArguments(text, c.open); !ok || len(c.args) < c.shape.least {
		return nil, fmt.Errorf("the arguments of %s are not understood", name)
	}
	for _, i := range []int{c.shape.order, c.shape.fail, c.shape.scope, c.shape.flags} {
		if !c.has(i) {
			continue
		}
		arg := text[c.args[i].from:c.args[i].to]
		if !c.constant(text, arg) && !(within != nil && slices.Contains(within.params, arg)) {
			return nil, fmt.Errorf("%q is not the name of a constant", arg)
		}
	}
	return c, nil
}

// has reports whether the call has an argument, by its index in the shape.
func (c *Call) has(i int) bool {
	return i >= 0 && i < len(c.args) && (c.shape.explicit || c.shape.kind == ir.BarrierSite || i == c.shape.flags)
}

// constant reports whether an argument is the name of a constant, or several with | between them, or 0. A parameter or a variable is none: others may read
// it, and Go wants it used.
func (c *Call) constant(text, arg string) bool {
	if arg == "0" {
		return true
	}
	for _, part := range strings.Split(strings.Trim(arg, "()"), "|") {
		if !c.named(text, strings.TrimSpace(part)) {
			return false
		}
	}
	return true
}

var (
	cName  = regexp.MustCompile(`^(?:memory_order_|memory_scope_|CLK_)\w+$`)
	goName = regexp.MustCompile(`^(?:MemoryOrder|MemoryScope|CLK)\w+$`)
)

// named reports whether a name is that of a constant of the vocabulary, or of one that the text declares for all of it.
func (c *Call) named(text, name string) bool {
	if !c.inGo {
		defined := regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+` + regexp.QuoteMeta(name) + `(?:[ \t]|$)`)
		return cName.MatchString(name) || identifier.MatchString(name) && defined.MatchString(text)
	}
	if bare, ok := strings.CutPrefix(name, c.qualifier); ok && goName.MatchString(bare) {
		return true
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil || !identifier.MatchString(name) {
		return false
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && slices.ContainsFunc(v.Names, func(id *ast.Ident) bool { return id.Name == name }) {
				return true
			}
		}
	}
	return false
}

// offset returns where a line and column are in a text; both count from 1.
func offset(text string, line, col int32) (int, bool) {
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return 0, false
		}
		at += i + 1
	}
	at += int(col) - 1
	return at, col >= 1 && at <= len(text)
}

// word returns the identifier that begins at a place, and where it ends.
func word(text string, at int) (string, int) {
	to := at
	for to < len(text) && letter(text[to]) {
		to++
	}
	return text[at:to], to
}

// blank skips blanks, comments and ends of lines that are continued.
func blank(text string, at int) int {
	for at < len(text) {
		switch {
		case strings.IndexByte(" \t\r\n", text[at]) >= 0:
			at++
		case strings.HasPrefix(text[at:], "\\\n"):
			at += 2
		case strings.HasPrefix(text[at:], "//"), strings.HasPrefix(text[at:], "/*"):
			at = comment(text, at)
		default:
			return at
		}
	}
	return at
}

// comment returns where the comment ends that begins at a place.
func comment(text string, at int) int {
	end, skip := "\n", 0
	if text[at+1] == '*' {
		end, skip = "*/", 2
	}
	if i := strings.Index(text[at+2:], end); i >= 0 {
		return at + 2 + i + skip
	}
	return len(text)
}

// quoted returns where the string or character ends that begins at a place.
func quoted(text string, at int) int {
	q := text[at]
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && q != '`':
			i++
		case text[i] == q:
			return i + 1
		}
	}
	return len(text)
}

// skipTo returns where a bracket is closed that has been opened before a place.
func skipTo(text string, at int, closing byte) int {
	depth := 0
	for i := at; i < len(text); {
		switch b := text[i]; {
		case b == '"' || b == '\'' || b == '`':
			i = quoted(text, i)
			continue
		case strings.HasPrefix(text[i:], "//"), strings.HasPrefix(text[i:], "/*"):
			i = comment(text, i)
			continue
		case b == '(' || b == '[' || b == '{':
			depth++
		case depth == 0 && b == closing:
			return i
		case b == ')' || b == ']' || b == '}':
			depth--
		}
		i++
	}
	return len(text)
}

// callArguments returns the arguments of a call whose parenthesis has been opened, and where it is closed.
func callArguments(text string, at int) (args []arg, end int, ok bool) {
	end = skipTo(text, at, ')')
	if end >= len(text) {
		return nil, end, false
	}
	for from := at; from < end; {
		to := min(skipTo(text[:end], from, ','), end)
		a := arg{from: blank(text, from)}
		a.to = codeEnd(text, a.from, to)
		if a.to <= a.from {
			break // a comma behind the last one
		}
		args, from = append(args, a), to+1
	}
	return args, end, true
}

// codeEnd returns where the code between two places ends: blanks and comments behind it are no part of it.
func codeEnd(text string, from, to int) int {
	end := from
	for i := from; i < to; {
		switch b := text[i]; {
		case b == '"' || b == '\'' || b == '`':
			i = quoted(text, i)
			end = i
			continue
		case strings.HasPrefix(text[i:], "//"), strings.HasPrefix(text[i:], "/*"):
			i = comment(text, i)
			continue
		case strings.IndexByte(" \t\r\n", b) < 0:
			end = i + 1
		}
		i++
	}
	return min(end, to)
}

// Edit replaces a part of a text.
type Edit struct {
	From, To int
	By       string
}

// Edits makes edits in a text, in whatever order they are listed. They do not overlap.
func Edits(text string, edits []Edit) string {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b Edit) int { return b.From - a.From })
	for _, e := range edits {
		text = text[:e.From] + e.By + text[e.To:]
	}
	return text
}

// Set returns the edits that give a call another strength. Arguments that stay as they are keep their text.
func (c *Call) Set(text string, s ir.Strength) []Edit {
	if s == c.now {
		return nil
	}
	if c.operator != nil {
		return c.operator.set(c.from, s)
	}
	out := c.set(text, s)
	for _, o := range c.others {
		out = append(out, o.Set(text, s)...)
	}
	return out
}

// set is Set for one call of a function.
func (c *Call) set(text string, s ir.Strength) []Edit {
	if c.shape.kind == ir.FenceSite && s.Order == memmodel.Relaxed || s.Gone {
		return []Edit{c.Remove(text)}
	}
	e := &editor{inGo: c.inGo}
	name := func(n string) string {
		if c.inGo {
			return c.qualifier + strings.TrimPrefix(e.function(n), "cl.")
		}
		return n
	}
	flags := func(f memmodel.Flags) string {
		if f == 0 {
			return "0"
		}
		var parts []string
		for _, p := range strings.Split(f.String(), " | ") {
			parts = append(parts, name(p))
		}
		return strings.Join(parts, map[bool]string{true: "|", false: " | "}[c.inGo && !strings.Contains(text[c.from:c.close], " | ")])
	}
	if c.shape.kind == ir.FenceSite && !c.shape.explicit && (s.Order != c.now.Order || s.Scope != c.now.Scope) { // mem_fence has flags alone
		return []Edit{{c.from, c.close, name("atomic_work_item_fence") + "(" + flags(s.Flags) + ", " + name(s.Order.String()) + ", " + name(s.Scope.String())}}
	}
	var out []Edit
	more := ""
	put := func(i int, changed bool, by string) {
		switch {
		case i < 0:
		case c.has(i) && changed:
			out = append(out, Edit{c.args[i].from, c.args[i].to, by})
		case !c.has(i) && more != "" || !c.has(i) && changed:
			more += ", " + by
		}
	}
	if !c.shape.explicit && c.shape.order >= 0 && (s.Order != c.now.Order || s.Fail != c.now.Fail || s.Scope != c.now.Scope) {
		suffix := map[bool]string{true: "Explicit", false: "_explicit"}[c.inGo]
		out = append(out, Edit{c.from + len(c.qualifier) + len(c.name), c.from + len(c.qualifier) + len(c.name), suffix})
		more = ", " + name(s.Order.String())
		if c.shape.fail >= 0 {
			more += ", " + name(s.Fail.String())
		}
	} else {
		put(c.shape.order, s.Order != c.now.Order, name(s.Order.String()))
		put(c.shape.fail, s.Fail != c.now.Fail, name(s.Fail.String()))
	}
	put(c.shape.flags, s.Flags != c.now.Flags, flags(s.Flags))
	if c.shape.kind != ir.BarrierSite {
		put(c.shape.scope, s.Scope != c.now.Scope, name(s.Scope.String()))
	}
	if more != "" {
		at := c.args[len(c.args)-1].to
		out = append(out, Edit{at, at, more})
	}
	return out
}

// Scope is the scope that the call names, and whether it names one.
func (c *Call) Scope(text string) (memmodel.Scope, bool) {
	if !c.has(c.shape.scope) {
		return 0, false
	}
	a := c.args[c.shape.scope]
	said := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(text[a.from:a.to], c.qualifier), "_", ""))
	for s := memmodel.ScopeWorkItem; s <= memmodel.ScopeAllSVMDevices; s++ {
		if said == strings.ReplaceAll(s.String(), "_", "") {
			return s, true
		}
	}
	return 0, false
}

// Text is the call as it stands in the text, on one line.
func (c *Call) Text(text string) string {
	return strings.Join(strings.Fields(text[c.from:min(c.close+1, len(text))]), " ")
}

// label ends in a label of a switch.
var label = regexp.MustCompile(`\b(case\b[^;{}?]*|default\s*):$`)

// Statement reports whether the call is a statement of its own, which can be taken out.
func (c *Call) Statement(text string) bool {
	if c.inGo {
		line := text[strings.LastIndexByte(text[:c.from], '\n')+1 : c.from]
		return !strings.ContainsAny(line, "=(") // else its value is looked at, or passed on
	}
	next := blank(text, c.close+1)
	before := strings.TrimRight(text[:c.from], " \t\r\n")
	alone := strings.IndexByte(";{})", lastBefore(text, c.from)) >= 0 || label.MatchString(before) || strings.HasSuffix(before, "else") && !letter(before[max(0, len(before)-5)])
	return next < len(text) && text[next] == ';' && alone
}

// Standing returns what stands where a site is: the call itself, or as if it were one the use of a macro that is this call and nothing else. It is nil if there is no such thing.
func (c *Call) Standing(text string, line, col int32) *Call {
	if c.Macro == "" {
		return c
	}
	at, ok := offset(text, line, col)
	if !ok || len(c.others) > 0 {
		return nil
	}
	name, to := word(text, at)
	m, err := definition(text, name)
	if err == nil && m != nil && m.likeACall {
		if to = blank(text, to); to == len(text) || text[to] != '(' {
			return nil
		}
		if _, to, ok = callArguments(text, to+1); !ok {
			return nil
		}
		to++
	}
	if err != nil || m == nil || strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text[m.body:m.end]), ";")) != text[c.from:c.close+1] {
		return nil
	}
	return &Call{from: at, close: to - 1}
}

// Remove takes a statement out of a text that is a call: with its line if it is alone there.
func (c *Call) Remove(text string) Edit {
	e := Edit{From: c.from, To: c.close + 1}
	whole := c.inGo
	if !c.inGo {
		if semi := blank(text, e.To); semi < len(text) && text[semi] == ';' && strings.IndexByte(";{}", lastBefore(text, e.From)) >= 0 {
			e.To, whole = semi+1, true
		}
	}
	from := strings.LastIndexByte(text[:e.From], '\n') + 1
	to := e.To
	for to < len(text) && (text[to] == ' ' || text[to] == '\t' || text[to] == '\r') {
		to++
	}
	if strings.HasPrefix(text[to:], "//") {
		to = comment(text, to)
	}
	if whole && strings.TrimSpace(text[from:e.From]) == "" && (to == len(text) || text[to] == '\n') {
		return Edit{From: from, To: min(to+1, len(text))}
	}
	return e
}

// lastBefore returns the last character before a place that is no blank, and in no comment or directive; ; if there is none.
func lastBefore(text string, at int) byte {
	last := byte(';')
	for i := 0; i < at; {
		switch b := text[i]; {
		case b == '"' || b == '\'' || b == '`':
			i, last = quoted(text, i), b
			continue
		case strings.HasPrefix(text[i:], "//"), strings.HasPrefix(text[i:], "/*"):
			i = comment(text, i)
			continue
		case b == '#' && strings.TrimSpace(text[strings.LastIndexByte(text[:i], '\n')+1:i]) == "":
			i = directive(text, i)
			continue
		case strings.IndexByte(" \t\r\n", b) < 0:
			last = b
		}
		i++
	}
	return last
}

// Formatted returns a text of Go as gofmt writes it, if the text before the edits was so.
func Formatted(before, after string) string {
	if !utf8.ValidString(before) {
		return after
	}
	if was, err := format.Source([]byte(before)); err != nil || string(was) != before {
		return after
	}
	if now, err := format.Source([]byte(after)); err == nil {
		return string(now)
	}
	return after
}
