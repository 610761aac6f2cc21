package checks

import (
	"errors"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// Parse reads a list of checks from its text. It reports all mistakes at once.
func Parse(file string, text []byte) (*List, error) {
	p := &listParser{file: file, lines: strings.Split(string(text), "\n")}
	if line, err := nested(p.lines); err != nil {
		p.failAt(line, 1, err.Error())
		return nil, errors.Join(p.errs...)
	}
	f, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, p.syntax(err)
	}
	l := &List{File: file, Keep: DefaultKeep}
	switch {
	case len(f.Docs) > 1:
		p.failf(f.Docs[1].Body, "the file has a second document: put all checks into one list")
	case len(f.Docs) == 0 || f.Docs[0].Body == nil:
		p.failAt(1, 1, "the file is empty\n"+howTo)
	default:
		p.list(l, f.Docs[0].Body)
	}
	return l, errors.Join(p.errs...)
}

// howTo shows what a list looks like.
const howTo = `A list of checks looks like this:
	checks:
	  - model: model.go
	    expect: verified`

// listParser turns YAML into a list and collects what is wrong with it.
type listParser struct {
	file  string
	lines []string
	errs  []error
	last  [2]int // line and column of the last of them
}

// fields maps the keys of a mapping to what reads their values.
type fields map[string]func(ast.Node)

func (p *listParser) list(l *List, n ast.Node) {
	var items []ast.Node
	var defaults ast.Node
	ok := p.mapping(n, fields{
		"checks":   func(v ast.Node) { items = p.sequence(v, "checks") },
		"defaults": func(v ast.Node) { defaults = v },
		"budget":   func(v ast.Node) { l.Budget = p.duration(v) },
		"store":    func(v ast.Node) { l.Store = p.text(v) },
		"keep":     func(v ast.Node) { l.Keep = p.duration(v) },
	})
	if !ok {
		return
	}
	var common Options
	if defaults != nil {
		p.mapping(defaults, p.options(&common))
	}
	for _, item := range items {
		c := &Check{At: p.pos(item), Options: common}
		c.Defines = maps.Clone(common.Defines)
		p.check(c, item)
		l.Checks = append(l.Checks, c)
	}
	if len(items) == 0 && len(p.errs) == 0 {
		p.failf(n, "there are no checks\n%s", howTo)
	}
}

func (p *listParser) check(c *Check, n ast.Node) {
	keys := p.options(&c.Options)
	keys["model"] = func(v ast.Node) { c.Model = p.text(v) }
	keys["name"] = func(v ast.Node) { c.Name = p.text(v) }
	own := c.live.fairness
	errs := len(p.errs)
	if p.mapping(n, keys) && c.Model == "" && len(p.errs) == errs {
		p.failf(n, "the check names no model: add model: with a .go file, a .litmus file, a folder or \"@name\"")
	}
	if len(p.errs) == 0 {
		p.asked(&c.Options, c.live.fairness != own)
	}
}

// liveWords say what a list asks about the end of executions.
type liveWords struct{ model, fairness ast.Node }

// asked understands what a check asks about the end of executions. The fairness of the defaults is for checks that ask.
func (p *listParser) asked(o *Options, ownFairness bool) {
	model, fairness := o.live.model, ""
	switch {
	case model == nil && ownFairness:
		p.failf(o.live.fairness, "fairness says how liveness: MODEL is meant; add that")
		return
	case model == nil:
		return
	case o.Explore.Exact:
		p.failf(model, "liveness goes without exact: its states are compared by their fingerprints")
		return
	}
	at := model
	if o.live.fairness != nil {
		at, fairness = o.live.fairness, p.text(o.live.fairness)
	}
	ask, err := explore.ParseLiveness(p.text(model), fairness)
	o.Explore.Liveness = ask
	p.wrong(at, err)
}

// options are the keys that checks and the defaults have in common.
func (p *listParser) options(o *Options) fields {
	return fields{
		"spec": func(v ast.Node) {
			spec, err := memmodel.ParseSpec(p.text(v))
			o.Explore.Spec = spec
			p.wrong(v, err)
		},
		"por": func(v ast.Node) {
			mode, err := por.ParseMode(p.text(v))
			o.Explore.POR = mode
			p.wrong(v, err)
		},
		"promises": func(v ast.Node) { p.loadBuffering(o, v) },
		"promises-time": func(v ast.Node) {
			t, err := explore.ParsePromisesTime(p.text(v))
			o.Explore.PromisesTime = t
			p.wrong(v, err)
		},
		"liveness": func(v ast.Node) {
			_, err := explore.ParseLiveness(p.text(v), "")
			o.live.model = v
			p.wrong(v, err)
		},
		"fairness": func(v ast.Node) {
			_, err := liveness.ParseFairness(p.text(v))
			o.live.fairness = v
			p.wrong(v, err)
		},
		"legacy-atomics": func(v ast.Node) {
			narrow, err := ParseLegacy(p.text(v))
			o.LegacyWorkGroup = narrow
			p.wrong(v, err)
		},
		"define":           func(v ast.Node) { p.defines(o, v) },
		"kernel":           func(v ast.Node) { o.Kernels.Kernel = p.text(v) },
		"global":           func(v ast.Node) { o.Kernels.Global = p.text(v) },
		"local":            func(v ast.Node) { o.Kernels.Local = p.text(v) },
		"sub-group":        func(v ast.Node) { o.Kernels.SubGroup = p.text(v) },
		"offset":           func(v ast.Node) { o.Kernels.Offset = p.text(v) },
		"args":             func(v ast.Node) { o.Kernels.Args = p.texts(v) },
		"include":          func(v ast.Node) { o.Kernels.Include = p.texts(v) },
		"cl-std":           func(v ast.Node) { o.Kernels.Std = p.text(v) },
		"gpuverify-header": func(v ast.Node) { o.Kernels.GPUVerify = p.boolean(v) },
		"keep-values":      func(v ast.Node) { o.Kernels.KeepValues = p.boolean(v) },
		"undefined":        func(v ast.Node) { p.undefined(o, v) },
		"unwritten": func(v ast.Node) {
			u, err := ir.ParseIndeterminate(p.text(v))
			o.Kernels.Unwritten = u
			p.wrong(v, err)
		},
		"device":     func(v ast.Node) { o.Device = p.text(v) },
		"all":        func(v ast.Node) { o.Explore.All = p.boolean(v); o.Explore.Beyond = o.Explore.All },
		"exact":      func(v ast.Node) { o.Explore.Exact = p.boolean(v) },
		"max-states": func(v ast.Node) { o.Explore.MaxStates = p.number(v) },
		"time-limit": func(v ast.Node) { o.TimeLimit = p.duration(v) },
		"cpu-limit":  func(v ast.Node) { o.CPULimit = p.duration(v); p.wrong(v, cputime.Check(o.CPULimit)) },
		"known":      func(v ast.Node) { p.known(o, v) },
		"expect":     func(v ast.Node) { p.expectation(&o.Expect, v) },
	}
}

// loadBuffering reads the bound on promises, or that it does not matter if they are not decided.
func (p *listParser) loadBuffering(o *Options, v ast.Node) {
	text := p.text(v)
	if o.UndecidedOK = text == undecidedOK; o.UndecidedOK {
		o.Explore.Promises = 0
		return
	}
	n, err := explore.ParsePromises(text)
	o.Explore.Promises = n
	p.wrong(v, err)
}

// undefined reads what becomes of functions that are declared and not defined.
func (p *listParser) undefined(o *Options, v ast.Node) {
	taken, err := clc.ParseUndefined(p.text(v))
	o.Kernels.Undefined = taken
	p.wrong(v, err)
}

// undecidedOK is what a list says of promises where it accepts that load buffering was not decided.
const undecidedOK = "undecided-ok"

// ParseLegacy reads the scope that atomic functions of OpenCL 1.x are to have, and
// reports whether it is the narrow one.
func ParseLegacy(s string) (workGroup bool, err error) {
	switch s {
	case "device", "work_group":
		return s == "work_group", nil
	}
	return false, fmt.Errorf("%q: want device or work_group", s)
}

// defines adds constants, which override those of the defaults.
func (p *listParser) defines(o *Options, n ast.Node) {
	for _, m := range p.pairs(n, "want constants and their values, as in {n: 4}") {
		name := m.Key.GetToken().Value
		if plain, _, macro := strings.Cut(name, "("); !token.IsIdentifier(plain) || macro && !strings.HasSuffix(name, ")") {
			p.failf(m.Key, "%q is not the name of a constant", name)
			continue
		}
		if o.Defines == nil {
			o.Defines = map[string]string{}
		}
		o.Defines[name] = p.text(m.Value)
	}
}

func (p *listParser) expectation(e *Expectation, n ast.Node) {
	words := []ast.Node{n}
	if s, ok := n.(*ast.SequenceNode); ok {
		words = s.Values
	}
	*e = Expectation{At: p.pos(n)}
	for _, w := range words {
		p.wrong(w, e.addText(p.text(w)))
	}
	if len(words) == 0 {
		p.failf(n, "the list is empty: want %s", expectHint)
	}
}

// known reads findings that are known.
func (p *listParser) known(o *Options, n ast.Node) {
	o.Known, o.knownAt = p.texts(n), p.pos(n)
	for _, text := range o.Known {
		_, err := report.ParseKnown(text)
		p.wrong(n, err)
	}
}

// mapping hands each value of a mapping to the function for its key.
func (p *listParser) mapping(n ast.Node, known fields) bool {
	pairs := p.pairs(n, "want keys and values: "+strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	for _, m := range pairs {
		key := m.Key.GetToken().Value
		read, ok := known[key]
		if !ok {
			p.failf(m.Key, "unknown key %q: want %s", key, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			continue
		}
		read(m.Value)
	}
	return pairs != nil
}

// pairs returns the members of a mapping, nil if it is none.
func (p *listParser) pairs(n ast.Node, want string) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	p.failf(n, "%s", want)
	return nil
}

func (p *listParser) sequence(n ast.Node, key string) []ast.Node {
	if s, ok := n.(*ast.SequenceNode); ok {
		return s.Values
	}
	p.failf(n, "%s: want a list, each item after a hyphen", key)
	return nil
}

// text returns a scalar as it was written.
// texts reads a list of texts, or one.
func (p *listParser) texts(n ast.Node) []string {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		return []string{p.text(n)}
	}
	var list []string
	for _, v := range s.Values {
		list = append(list, p.text(v))
	}
	return list
}

func (p *listParser) text(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		if n.Value == "" {
			p.failf(n, "the value is empty")
		}
		return n.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		p.failf(n, "anchors, aliases and tags are not supported: write the value itself, or put it under defaults")
	default:
		p.failf(n, "want a single value")
	}
	return ""
}

func (p *listParser) boolean(n ast.Node) bool {
	switch p.text(n) {
	case "true":
		return true
	case "false":
		return false
	}
	p.failf(n, "want true or false")
	return false
}

func (p *listParser) number(n ast.Node) int {
	text := p.text(n)
	i, err := strconv.Atoi(strings.ReplaceAll(text, "_", ""))
	if err != nil || i < 1 {
		p.failf(n, "%q: want a positive number", text)
	}
	return i
}

func (p *listParser) duration(n ast.Node) time.Duration {
	text := p.text(n)
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		p.failf(n, "%q: want a duration such as 90s, 5m or 8h", text)
	}
	return d
}

// pos is a node's place in the file.
func (p *listParser) pos(n ast.Node) trace.Pos {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		n = m.Values[0].Key // the mapping's own token is the colon
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		n = m.Key
	}
	at := n.GetToken().Position
	return p.place(at.Line, at.Column)
}

func (p *listParser) place(line, col int) trace.Pos {
	pos := trace.Pos{File: p.file, Line: line, Col: col}
	if line >= 1 && line <= len(p.lines) {
		pos.Source = p.lines[line-1]
	}
	return pos
}

// wrong reports err, if there is one, at a value.
func (p *listParser) wrong(n ast.Node, err error) {
	if err != nil {
		p.failf(n, "%v", err)
	}
}

func (p *listParser) failf(n ast.Node, format string, args ...any) {
	at := p.pos(n)
	p.failAt(at.Line, at.Col, fmt.Sprintf(format, args...))
}

// failAt reports the first mistake at a place; what follows from it is not news.
func (p *listParser) failAt(line, col int, message string) {
	at := [2]int{line, col}
	if at == p.last {
		return
	}
	p.last = at
	p.errs = append(p.errs, fmt.Errorf("%s:%d:%d: %s", p.file, line, col, message))
}

// syntax words an error of the YAML parser.
func (p *listParser) syntax(err error) error {
	var e yaml.Error
	if !errors.As(err, &e) || e.GetToken() == nil {
		return fmt.Errorf("%s: not YAML: %w", p.file, err)
	}
	message := e.GetMessage()
	if strings.HasPrefix(message, "'@'") {
		message += `: quote the names of shipped models, as in "@kernel_dot"`
	}
	at := e.GetToken().Position
	p.failAt(at.Line, at.Column, message)
	return p.errs[0]
}
