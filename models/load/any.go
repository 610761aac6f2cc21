package load

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

// Variables of which nothing is known at first: var in = cl.Any[[8]int32](). What they hold is decided late, where something depends on it
// (docs/exploration/late.md), or the options give it.

// anyHint says how such a variable is declared.
const anyHint = "write at package level, one variable at a time and without its type: var n = cl.Any[int32]()"

// takeAnys notes the package-level variables that cl.Any initialises, and declares them without a value. It works on the syntax, before type checking.
func (m *model) takeAnys() {
	m.anys = map[string]token.Pos{}
	for _, f := range m.own {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				spec := s.(*ast.ValueSpec)
				if len(spec.Names) != 1 || len(spec.Values) != 1 || spec.Type != nil || spec.Names[0].Name == "_" {
					continue
				}
				if t := anyOf(f, spec.Values[0]); t != nil {
					m.anys[spec.Names[0].Name] = spec.Names[0].Pos()
					spec.Type, spec.Values = t, nil
				}
			}
		}
	}
}

// anyOf returns the type T of an expression cl.Any[T](), nil if it is none.
func anyOf(f *ast.File, e ast.Expr) ast.Expr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return nil
	}
	index, ok := ast.Unparen(call.Fun).(*ast.IndexExpr)
	if !ok {
		return nil
	}
	names := vocabularyNames(f)
	switch fn := ast.Unparen(index.X).(type) {
	case *ast.SelectorExpr:
		if x, ok := fn.X.(*ast.Ident); ok && fn.Sel.Name == anyName && slices.Contains(names, x.Name) {
			return index.Index
		}
	case *ast.Ident:
		if fn.Name == anyName && slices.Contains(names, ".") {
			return index.Index
		}
	}
	return nil
}

const anyName = "Any"

// vocabularyNames are the names under which a file imports the vocabulary.
func vocabularyNames(f *ast.File) (names []string) {
	for _, i := range f.Imports {
		if path, _ := strconv.Unquote(i.Path.Value); path != vocabularyPath {
			continue
		}
		if i.Name != nil {
			names = append(names, i.Name.Name)
		} else {
			names = append(names, "cl")
		}
	}
	return names
}

// checkAny reports cl.Any where it does not declare a variable.
func (m *model) checkAny(n *ast.Ident) {
	if fn, ok := m.info.Uses[n].(*types.Func); ok && fn.Name() == anyName && fn.Pkg() != nil && fn.Pkg().Path() == vocabularyPath {
		m.errorf(n.Pos(), anyHint, "cl.Any is the first value of a package-level variable, and nothing else")
	}
}

// anyInput is a variable of which nothing is known.
type anyInput struct {
	ir.LateInput
	name   string
	pos    token.Pos
	object int
}

// inputs finds the variables of which nothing is known, in the order of the text, and has the host set those that are given.
func (l *lowering) inputs(host *unit) {
	for _, name := range slices.SortedFunc(maps.Keys(l.anys), func(a, b string) int { return cmp.Compare(l.anys[a], l.anys[b]) }) {
		in, ok := l.input(name)
		if !ok {
			return
		}
		given, isGiven := l.given(name)
		switch {
		case isGiven:
			host.At = host.pos(in.pos)
			l.setInput(host, in, given)
		case l.opt.Classes == nil:
			l.errorf(in.pos, "use clmc explore without --store, --cluster, --witness and --liveness (a test in Go imports models/check/anydata), or give values: --given "+name+"=...", "%s is any, and this command or flag needs data that are given", name)
		default:
			l.p.AnyObject(in.object)
			l.late = append(l.late, in)
		}
		d := ir.Datum{Name: name, Scalar: in.Elem == ""}
		if isGiven {
			d.Decides, d.Why, d.At = true, "is given", l.p.Positions[l.posIn(in.pos, 0)]
			if _, value, _ := strings.Cut(given, "="); d.Scalar {
				d.Value = value
			}
		}
		l.p.Data, l.p.HasData = append(l.p.Data, d), true
	}
	for _, g := range l.opt.Given {
		if name, _, _ := strings.Cut(g, "="); l.anys[name] == token.NoPos {
			l.report(token.Position{Filename: l.sources[0].name}, anyHint, "--given "+g+": no variable "+name+" is any")
		}
	}
}

// input returns what is known of a variable that is any. It holds numbers of one type.
func (l *lowering) input(name string) (anyInput, bool) {
	in := anyInput{name: name, pos: l.anys[name]}
	g := l.pkg.Var(name)
	if g == nil {
		return in, false
	}
	addr, ok := l.globals[g]
	in.object = slices.IndexFunc(l.p.Objects, func(o ir.Object) bool { return ok && ir.SegShared|int64(o.Base) == addr })
	if in.object < 0 {
		l.errorf(in.pos, "write instead: a number, or an array of numbers", "%s cannot be any: it holds no numbers", name)
		return in, false
	}
	layout := l.p.Objects[in.object].Layout
	in.Name = name
	for i := range layout.Cells() {
		c, _ := layout.Cell(i)
		if i == 0 {
			in.Type = c.Type
		}
		if c.Type == ir.Ptr || c.Type != in.Type {
			l.errorf(in.pos, "write instead: a variable for each field", "%s cannot be any: it holds other things than numbers of one type", name)
			return in, false
		}
	}
	if _, isArray := deref(g.Type()).Underlying().(*types.Array); isArray || layout.Cells() != 1 {
		in.Elem, in.Len = typeName(in.Type), layout.Cells()
	}
	return in, true
}

// given is what the options say that a variable holds.
func (l *lowering) given(name string) (string, bool) {
	for _, g := range l.opt.Given {
		if strings.HasPrefix(g, name+"=") {
			return g, true
		}
	}
	return "", false
}

// setInput lets a variable hold what is given: n=3, n=0|3, in=int32[3]{3,3,0} or in=int32[3]{0|3}, each cell one of several values.
func (l *lowering) setInput(host *unit, in anyInput, given string) {
	_, text, _ := strings.Cut(given, "=")
	if in.Elem != "" {
		head, list, _ := strings.Cut(text, "{")
		list, ok := strings.CutSuffix(list, "}")
		if !ok || head != in.Elem+"["+strconv.Itoa(in.Len)+"]" {
			l.errorf(in.pos, "write instead: --given '"+in.name+"="+in.Elem+"["+strconv.Itoa(in.Len)+"]{...}'", "--given %s: that is no content of %s", given, in.name)
			return
		}
		text = list
	}
	words := strings.Split(text, ",")
	if n := max(in.Len, 1); len(words) > n {
		l.errorf(in.pos, "give at most as many values as there are", "--given %s: %s holds %d values, and these are %d", given, in.name, n, len(words))
		return
	}
	o := &l.p.Objects[in.object]
	for i := range o.Init {
		word := words[min(i, len(words)-1)]
		if i >= len(words) && !(len(words) == 1 && strings.Contains(word, "|")) {
			word = "0" // as in an initialiser, which leaves out zeros
		}
		var values []int64
		for _, w := range strings.Split(word, "|") {
			v, ok := parseNumber(in.Type, strings.TrimSpace(w))
			if !ok {
				l.errorf(in.pos, "write numbers of its type", "--given %s: %q is no %s", given, w, typeName(in.Type))
				return
			}
			values = append(values, v)
		}
		if o.Init[i] = values[0]; len(values) > 1 {
			label := ""
			if l.opt.Names {
				if label = in.name; in.Elem != "" {
					label += "[" + strconv.Itoa(i) + "]"
				}
			}
			host.Store(in.Type, host.Constant(ir.SegShared|int64(o.Base)+int64(i)), host.Chosen(values, label))
		}
	}
}

// typeName is the type of a cell as Go has it.
func typeName(t ir.Type) string {
	return strings.NewReplacer("i", "int", "u", "uint", "f", "float").Replace(t.String())
}

// parseNumber reads a number of a type.
func parseNumber(t ir.Type, text string) (int64, bool) {
	if t.Float() {
		f, err := strconv.ParseFloat(strings.TrimSuffix(text, "f"), 64)
		return t.FromNumber(f), err == nil
	}
	switch text {
	case "true":
		text = "1"
	case "false":
		text = "0"
	}
	v, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		u, err := strconv.ParseUint(text, 0, 64)
		return int64(u), err == nil && t == ir.U64
	}
	return v, ir.Convert(t, ir.I64, v) == v
}

// asked is a question of which executions there are, with its place.
type asked struct {
	what string
	pos  token.Pos
}

// asks notes such a question: executions that no data have would answer it wrongly.
func (c *call) asks(what string) { c.lowering.asked = append(c.lowering.asked, asked{what, c.pos}) }

// finishLate decides late what is any.
func (l *lowering) finishLate() {
	for _, q := range l.asked {
		l.fault(q.pos, "leave it out, or give values: --given "+l.late[0].name+"=...", "%s hangs on the data, and %s is any", q.what, l.late[0].name)
	}
	if l.failed() {
		return
	}
	l.p.Within = len(l.embeddings) == 0 // a slice that begins at the end of an array is empty: nobody gets from there to what is before
	_, late := l.p.FinishLate(l.opt.KeepValues, cmp.Or(l.opt.AnyWidth, clc.DefaultAnyWidth), l.opt.Classes)
	if late.Failed != "" {
		at := l.p.Positions[late.At]
		pos := token.Position{Filename: l.sources[0].name}
		if at.Line > 0 {
			pos = token.Position{Filename: l.p.Sources[at.File].Name, Line: int(at.Line), Column: int(at.Col)}
		}
		l.report(pos, "give values that are enough, as in --given 'n=1|2|3', or raise --any-width", "what is any cannot be decided late: "+late.Failed)
		return
	}
	l.p.Late = &ir.Late{Exact: late.Exact, Waits: late.Waits}
	for i := range l.late {
		in := &l.late[i]
		in.Values = late.Objects[in.object]
		l.p.Late.Inputs = append(l.p.Late.Inputs, in.LateInput)
	}
	if note := clc.ValuesNote(l.p.Program); note != "" {
		l.p.Notes = append(l.p.Notes, note)
	}
}
