package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// refusal is why a construct of Go is outside the modelling language.
type refusal struct{ message, hint string }

// The constructs that the language leaves out.
var (
	noChannels   = refusal{"channels are not part of the modelling language", "write instead: an atomic flag in global memory, set with cl.AtomicStoreExplicit and read with cl.AtomicLoadExplicit"}
	noSelect     = refusal{"select is not part of the modelling language", "write instead: a loop that reads atomic variables"}
	noMaps       = refusal{"maps are not part of the modelling language", "write instead: an array indexed by the key"}
	noDefer      = refusal{"defer is not part of the modelling language", "write instead: the call, before each return"}
	noGo         = refusal{"only the host program starts host threads (go f())", "move the statement into main, or enqueue a kernel"}
	noInterfaces = refusal{"interface values are not part of the modelling language", "write instead: a type parameter, or the concrete type"}
	noAssertions = refusal{"type assertions and type switches are not part of the modelling language", "write instead: a type parameter, or the concrete type"}
	noComplex    = refusal{"complex numbers are not part of the modelling language", "write instead: two floating-point variables"}
	noRangeFunc  = refusal{"ranging over a function is not part of the modelling language", "write instead: a for loop with a counter"}
	noStrings    = refusal{"strings are constants in the modelling language", "write instead: a small integer; strings serve as messages and names only"}
	noInit       = refusal{"a model has no init functions", "move the statements to the start of main"}
	noUnsafe     = refusal{"unsafe pointers are not part of the modelling language", "write instead: a variable of the type that you mean"}
	noFuncVars   = refusal{"package-level variables of function type are not part of the modelling language", "write instead: an ordinary function declaration"}
)

// refusedBuiltins lists the predeclared functions that the language leaves out.
var refusedBuiltins = map[string]refusal{
	"append":  {"append is not part of the modelling language: slices are views of buffers and arrays", "write instead: an array of fixed length and a counter"},
	"make":    {"make is not part of the modelling language", "write instead: cl.NewBuffer[T](n) in the host program, cl.Local[[n]T]() in a kernel, or an array variable"},
	"copy":    {"copy is not part of the modelling language", "write instead: a loop that assigns the elements"},
	"clear":   {"clear is not part of the modelling language", "write instead: a loop that assigns the elements"},
	"delete":  noMaps,
	"close":   noChannels,
	"panic":   {"panic is not part of the modelling language", "write instead: cl.Assert(false, \"what went wrong\")"},
	"recover": {"recover is not part of the modelling language", "leave it out: a model does not panic"},
	"print":   {"print is not part of the modelling language", "write instead: cl.Observe(\"name\", value)"},
	"println": {"println is not part of the modelling language", "write instead: cl.Observe(\"name\", value)"},
	"complex": noComplex,
	"real":    noComplex,
	"imag":    noComplex,
}

// checkImports reports imports other than the vocabulary.
func (m *model) checkImports() {
	for _, f := range m.files {
		for _, s := range f.Imports {
			path, err := strconv.Unquote(s.Path.Value)
			switch {
			case err != nil || path == vocabularyPath:
			case m.helpers[path] == nil:
				hint := importHints[path]
				if hint == "" {
					hint = "a model imports nothing but \"" + vocabularyPath + "\" and packages of its own module"
				}
				m.errorf(s.Path.Pos(), hint, "package %q is not part of the modelling language", path)
			case m.circular(path, map[string]bool{}):
				m.errorf(s.Path.Pos(), "move what both need to a third package", "package %q imports itself", path)
			case m.helpers[path].files[0].Name.Name == "main":
				m.errorf(s.Path.Pos(), "give its files another package name", "package %q is a model of its own (package main)", path)
			}
		}
	}
}

// checkSubset reports the constructs that the language leaves out. It runs
// even after type errors, so that one run shows both.
func (m *model) checkSubset() {
	for _, f := range m.files {
		ast.Inspect(f, func(n ast.Node) bool {
			if n != nil {
				m.checkNode(n)
			}
			return true
		})
	}
}

func (m *model) refuse(at ast.Node, why refusal) { m.errorf(at.Pos(), why.hint, "%s", why.message) }

func (m *model) checkNode(n ast.Node) {
	switch n := n.(type) {
	case *ast.ChanType, *ast.SendStmt:
		m.refuse(n, noChannels)
	case *ast.SelectStmt:
		m.refuse(n, noSelect)
	case *ast.MapType:
		m.refuse(n, noMaps)
	case *ast.DeferStmt:
		m.refuse(n, noDefer)
	case *ast.TypeAssertExpr, *ast.TypeSwitchStmt:
		m.refuse(n, noAssertions)
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			m.refuse(n, noChannels)
		}
	case *ast.BasicLit:
		if n.Kind == token.IMAG {
			m.refuse(n, noComplex)
		}
	case *ast.RangeStmt:
		m.checkRange(n)
	case *ast.CallExpr:
		m.checkBuiltin(n)
	case *ast.FuncDecl:
		if n.Recv == nil && n.Name.Name == "init" {
			m.refuse(n.Name, noInit)
		}
	case *ast.FuncType:
		m.checkResults(n)
	case *ast.Ident:
		if v, ok := m.info.Defs[n].(*types.Var); ok {
			m.checkVar(n, v)
		}
		m.checkAny(n)
	}
}

func (m *model) checkRange(n *ast.RangeStmt) {
	t := m.info.TypeOf(n.X)
	if t == nil {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Signature:
		m.refuse(n.X, noRangeFunc)
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			m.refuse(n.X, noStrings)
		}
	}
}

func (m *model) checkBuiltin(call *ast.CallExpr) {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return
	}
	if _, ok := m.info.Uses[id].(*types.Builtin); !ok {
		return
	}
	if id.Name == "make" && len(call.Args) > 0 && !isReference(m.info.TypeOf(call.Args[0])) {
		return // a channel or map, which is reported where its type is written
	}
	if why, ok := refusedBuiltins[id.Name]; ok {
		m.refuse(id, why)
	}
}

// checkResults looks at unnamed results; everything else has a name.
func (m *model) checkResults(f *ast.FuncType) {
	if f.Results == nil {
		return
	}
	for _, r := range f.Results.List {
		if t := m.info.TypeOf(r.Type); len(r.Names) == 0 && t != nil {
			m.checkType(r.Type, t)
		}
	}
}

func (m *model) checkVar(id *ast.Ident, v *types.Var) {
	m.checkType(id, v.Type())
	if !isGlobal(v) {
		return
	}
	switch u := v.Type().Underlying().(type) {
	case *types.Signature:
		m.refuse(id, noFuncVars)
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			m.refuse(id, noStrings)
		}
	}
}

// checkType reports a variable or result whose type the language leaves out.
// Channels and maps are reported where their types are written.
func (m *model) checkType(at ast.Node, t types.Type) {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		m.refuse(at, noInterfaces)
	case *types.Basic:
		switch {
		case u.Info()&types.IsComplex != 0:
			m.refuse(at, noComplex)
		case u.Kind() == types.UnsafePointer:
			m.refuse(at, noUnsafe)
		}
	}
}
