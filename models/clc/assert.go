package clc

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// assertLine is a //clmc:assert line; after is the number of the launch that it follows.
type assertLine struct {
	text  string
	at    token.Position
	after int
	// moved: the launch is not the one of the file that the line stands below.
	moved bool
}

// kernelOf is the name of the kernel that a request is for.
func (l *launcher) kernelOf(r *request) string {
	if r.kernel == "" && len(l.unit.Kernels) == 1 {
		return l.unit.Kernels[0].Name
	}
	return r.kernel
}

// onlyFor returns the index of the only request for a kernel, or -1.
func (l *launcher) onlyFor(list []*request, kernel string) int {
	at := -1
	for i, r := range list {
		if l.kernelOf(r) != kernel {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	return at
}

// complete gives a launch that flags ask for what they leave out and the file's own launch of that kernel says: sizes, and for a launch
// of the same sizes arguments.
func (l *launcher) complete(r *request, own []*request) {
	at := l.onlyFor(own, l.kernelOf(r))
	if at < 0 {
		return
	}
	o := own[at]
	r.global, r.local, r.offset = cmp.Or(r.global, o.global), cmp.Or(r.local, o.local), cmp.Or(r.offset, o.offset)
	r.subGroup = cmp.Or(r.subGroup, o.subGroup)
	if !r.sameSizes(o) {
		return
	}
	r.args = slices.Clone(r.args)
	given := argumentsOf(r)
	for _, a := range o.args {
		if name, _, _ := strings.Cut(a, "="); given[name] == "" {
			r.args = append(r.args, a)
		}
	}
}

// sameSizes reports whether a request has the sizes and offset of another, or some of them.
func (r *request) sameSizes(o *request) bool {
	size := func(s, rest string) string {
		words := strings.FieldsFunc(s, func(c rune) bool { return c == ',' || c == 'x' })
		for len(words) > 0 && words[len(words)-1] == rest {
			words = words[:len(words)-1]
		}
		return strings.Join(words, ",")
	}
	among := func(s, all, rest string) bool { // each of some sizes is one of others
		for _, one := range strings.Split(s, between) {
			if !slices.ContainsFunc(strings.Split(all, between), func(other string) bool { return size(one, rest) == size(other, rest) }) {
				return false
			}
		}
		return true
	}
	return among(r.global, o.global, "1") && among(r.local, o.local, "1") && among(r.offset, o.offset, "0")
}

// argumentsOf returns the arguments of a request by name. A buffer of zeros is the same whatever its length: elements that it has
// not are no elements that an assertion can name.
func argumentsOf(r *request) map[string]string {
	m := map[string]string{}
	for _, a := range r.args {
		name, what, _ := strings.Cut(a, "=")
		what = strings.Join(strings.Fields(what), "")
		if word, _, content, ok := shape(what); ok && content == "" && word != "local" {
			what = "zero"
		}
		m[name] = what
	}
	return m
}

// moved returns the assertions that hold of launches which flags, or a .sim file, ask for instead of those of the file: each
// follows the launch of the kernel that it follows in the file, if that has the same sizes and arguments. What is asserted of other data
// need not hold; such assertions are named as not checked.
func (l *launcher) moved(asserts []assertLine, own, launches []*request) (kept []assertLine) {
	for _, a := range asserts {
		a.moved = true
		if len(launches) == 0 {
			continue
		}
		if len(own) == 0 {
			a.after = len(launches) - 1
			kept = append(kept, a)
			continue
		}
		o := own[a.after]
		kernel := l.kernelOf(o)
		at := l.onlyFor(launches, kernel)
		switch {
		case l.onlyFor(own, kernel) < 0:
			l.notChecked(a, "it belongs to one of several launches of "+kernel)
		case at < 0:
			l.notChecked(a, "it belongs to a launch of "+kernel)
		case launches[at].sim != nil || !launches[at].sameSizes(o) || !maps.Equal(argumentsOf(launches[at]), argumentsOf(o)):
			l.notChecked(a, fmt.Sprintf("it belongs to the launch in line %d, which has other sizes or arguments", o.at.Line))
		default:
			a.after = at
			kept = append(kept, a)
		}
	}
	return kept
}

// notChecked takes note of an assertion that is left out.
func (l *launcher) notChecked(a assertLine, why string) {
	l.unchecked = append(l.unchecked, fmt.Sprintf("line %d, %s: %s", a.at.Line, a.text, why))
}

// apply adds an assertion to a launch. One that was written for another launch, and does not fit this one, is named as not
// checked.
func (l *launcher) apply(x *code.Launch, a assertLine) {
	before := len(l.found)
	l.assertion(x, a)
	if a.moved && len(l.found) > before {
		l.notChecked(a, l.found[before].Message)
		l.found = l.found[:before]
	}
}

// suffixed matches a number of C with its suffix, which changes nothing: all integers have 64 bits here, and other numbers are doubles.
var suffixed = regexp.MustCompile(`\b(0[xX][0-9a-fA-F]+|\d+)(?:[uU][lL]{0,2}|[lL]{1,2}[uU]?)\b|\b(\d+\.\d*(?:[eE][-+]?\d+)?)[fFhH]\b`)

// assertion adds what a line asserts to a launch. It is an expression over the elements of buffers,
// as in out[0] == 28 && sum[1] > 0; integers have 64 bits, floating-point numbers are doubles.
func (l *launcher) assertion(x *code.Launch, a assertLine) {
	e, err := parser.ParseExpr(suffixed.ReplaceAllString(a.text, "$1$2"))
	if err != nil {
		l.fault(a.at, "write an expression over elements of buffers, as in out[0] == 28", "clmc cannot parse the assertion")
		return
	}
	t := l.term(x, a, e)
	if t == nil {
		return
	}
	x.Asserts = append(x.Asserts, code.Assertion{Text: a.text, Cond: *t,
		Pos: tree.Pos{File: 0, Line: int32(a.at.Line), Col: int32(a.at.Column)}})
}

func (l *launcher) term(x *code.Launch, a assertLine, e ast.Expr) *code.Term {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.term(x, a, e.X)
	case *ast.BasicLit:
		return l.literal(a, e)
	case *ast.IndexExpr, *ast.SelectorExpr, *ast.Ident:
		return l.cell(x, a, e)
	case *ast.UnaryExpr:
		t := l.term(x, a, e.X)
		if t == nil {
			return nil
		}
		switch e.Op {
		case token.SUB:
			return &code.Term{Op: ir.Neg, X: t, Type: t.Type}
		case token.NOT:
			return &code.Term{Op: ir.Not, X: t, Type: ir.I64}
		}
	case *ast.BinaryExpr:
		return l.binaryTerm(x, a, e)
	}
	l.fault(a.at, "write elements of buffers, numbers and operators", "clmc cannot parse a part of the assertion")
	return nil
}

func (l *launcher) literal(a assertLine, e *ast.BasicLit) *code.Term {
	if n, err := strconv.ParseInt(e.Value, 0, 64); err == nil {
		return &code.Term{Type: ir.I64, Value: n}
	}
	if n, err := strconv.ParseUint(e.Value, 0, 64); err == nil {
		return &code.Term{Type: ir.U64, Value: int64(n)}
	}
	if f, err := strconv.ParseFloat(e.Value, 64); err == nil {
		return &code.Term{Type: ir.F64, Value: ir.F64.FromNumber(f)}
	}
	l.fault(a.at, "", "%s is not a number", e.Value)
	return nil
}

var termOps = map[token.Token]ir.Alu{token.ADD: ir.Add, token.SUB: ir.Sub, token.MUL: ir.Mul, token.QUO: ir.Div, token.REM: ir.Rem,
	token.AND: ir.And, token.OR: ir.Or, token.XOR: ir.Xor, token.SHL: ir.Shl, token.SHR: ir.Shr, token.EQL: ir.Eq, token.NEQ: ir.Ne,
	token.LSS: ir.Lt, token.LEQ: ir.Le, token.GTR: ir.Gt, token.GEQ: ir.Ge, token.LAND: ir.And, token.LOR: ir.Or}

func (l *launcher) binaryTerm(x *code.Launch, a assertLine, e *ast.BinaryExpr) *code.Term {
	p, q := l.term(x, a, e.X), l.term(x, a, e.Y)
	if p == nil || q == nil {
		return nil
	}
	op, ok := termOps[e.Op]
	if !ok {
		l.fault(a.at, "", "the operator %s cannot be used in an assertion", e.Op)
		return nil
	}
	if e.Op == token.LAND || e.Op == token.LOR {
		zero := &code.Term{Type: ir.I64}
		truth := func(t *code.Term) *code.Term { return &code.Term{Op: ir.Ne, X: t, Y: zero, Type: ir.I64} }
		return &code.Term{Op: op, X: truth(p), Y: truth(q), Type: ir.I64}
	}
	t := ir.I64
	if p.Type.Float() || q.Type.Float() {
		t = ir.F64
	} else if p.Type == ir.U64 || q.Type == ir.U64 {
		t = ir.U64
	}
	result := &code.Term{Op: op, X: as(p, t), Y: as(q, t), Type: t}
	if op >= ir.Eq && op <= ir.Ge {
		return &code.Term{Op: ir.Or, X: result, Y: &code.Term{Type: ir.I64}, Type: ir.I64}
	}
	return result
}

// as converts a term.
func as(t *code.Term, to ir.Type) *code.Term {
	if t.Type == to || !t.Type.Float() && !to.Float() {
		return t
	}
	return &code.Term{Op: ir.Xchg, X: t, Type: to}
}

// cell finds the scalar that out[2], out[2].x, or a program-scope variable names.
func (l *launcher) cell(x *code.Launch, a assertLine, e ast.Expr) *code.Term {
	var path []ast.Expr
	for {
		switch n := e.(type) {
		case *ast.IndexExpr:
			path = append([]ast.Expr{n.Index}, path...)
			e = n.X
			continue
		case *ast.SelectorExpr:
			path = append([]ast.Expr{n.Sel}, path...)
			e = n.X
			continue
		}
		break
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		l.fault(a.at, "write elements of buffers, numbers and operators", "clmc cannot parse a part of the assertion")
		return nil
	}
	if len(path) == 0 {
		switch id.Name {
		case "true":
			return &code.Term{Type: ir.I64, Value: 1}
		case "false":
			return &code.Term{Type: ir.I64}
		}
	}
	t := &code.Term{}
	var typ *tree.Type
	if b := l.buffers[id.Name]; b != nil && b.Pipe {
		l.fault(a.at, "read it in a kernel", "%s is a pipe, which the host cannot access", id.Name)
		return nil
	} else if b != nil {
		t.Buffer = b
		typ = l.unit.Types.Array(b.Elem, int64(b.Len))
	} else if v := l.global(id.Name); v != nil {
		t.Global, typ = v, v.Type
	} else {
		l.fault(a.at, "name a buffer of the launch, or a variable of program scope", "there is no %s", id.Name)
		return nil
	}
	for _, step := range path {
		at, next, ok := code.Step(typ, stepName(step))
		if !ok {
			l.fault(a.at, "", "%s has no %s", typ, stepName(step))
			return nil
		}
		t.At += at
		typ = next
	}
	leaves := code.Leaves(typ)
	if len(leaves) != 1 {
		l.fault(a.at, "name one scalar, as in out[0]", "%s is not a scalar but %s", a.text, typ)
		return nil
	}
	t.Type = leaves[0]
	return t
}

// stepName writes an index or a member.
func stepName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strings.ToLower(e.Value)
	case *ast.Ident:
		return "." + e.Name
	}
	return "?"
}

func (l *launcher) global(name string) *tree.Var {
	for _, v := range l.unit.Globals {
		if v.Name == name {
			return v
		}
	}
	return nil
}
