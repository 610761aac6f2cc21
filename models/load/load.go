package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Options tunes how a model is loaded.
type Options struct {
	// Defines overrides package-level constants: name to value, written as a Go
	// literal.
	Defines map[string]string
	// LegacyWorkGroup takes the atomic functions of OpenCL 1.x to have work-group
	// scope, and not device scope (rule 3.9).
	LegacyWorkGroup bool
	// KeepValues, of a model with kernel files, computes also what nothing depends on, so that traces show it.
	KeepValues bool
	// Unwritten is what reads of memory return that nothing has written.
	Unwritten ir.Indeterminate
	// Given says what variables hold that are cl.Any: n=3, n=0|3, in=int32[3]{3,3,0}, in=int32[3]{0|3}. With Names the host says what it chooses.
	Given []string
	Names bool
	// Classes tells values of the others apart that make a difference; nil: they are refused. At most AnyWidth of them are told apart in one place.
	Classes  func(t ir.Type, list []ir.Outcome, most int) []int64
	AnyWidth int
}

// legacyScope is the scope of the atomic functions of OpenCL 1.x (rule 3.9).
func (o *Options) legacyScope() memmodel.Scope {
	if o.LegacyWorkGroup {
		return memmodel.ScopeWorkGroup
	}
	return memmodel.ScopeDevice
}

// File loads the model in a file, or in the .go files of a folder. The error is
// of type Diagnostics when the model is at fault.
func File(path string, opt Options) (*ir.Program, error) {
	sources, err := read(path)
	if err != nil {
		return nil, err
	}
	return load(modelName(path), withPackages(sources), opt)
}

// Source loads a model from its text. The name is for positions.
func Source(filename string, src []byte, opt Options) (*ir.Program, error) {
	return load(modelName(filename), []source{{name: filename, text: src}}, opt)
}

// Sources loads a model from the texts that a program was loaded from before,
// its Program.Sources, under that program's name.
func Sources(name string, texts []ir.Source, opt Options) (*ir.Program, error) {
	var sources, others []source
	for i, t := range texts {
		s := source{name: t.Name, text: []byte(t.Text)}
		if i == 0 || filepath.Ext(t.Name) == ".go" || filepath.Base(t.Name) == modFile {
			sources = append(sources, s)
		} else { // of //cl:program, and what they include
			others = append(others, s)
		}
	}
	return load(name, sources, opt, others...)
}

// modelName names a model after its file or folder.
func modelName(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return strings.TrimSuffix(filepath.Base(path), ".go")
}

// model is a model between parsing and lowering.
type model struct {
	*reporter
	name    string
	opt     Options
	sources []source
	files   []*ast.File // of the model and of the packages that it imports
	own     []*ast.File // of the model
	all     []*ast.File // and what the loader adds to them
	pkg     *types.Package
	mod     module             // that the imported packages are of
	helpers map[string]*helper // the imported packages, by path
	order   []*helper          // in the order of their imports
	info    *types.Info
	kinds   map[*types.Var]kindDirective
	// programs are the kernel files, and texts returns the text of one; nil: it is read from the disk.
	programs map[*types.Var]*programDirective
	texts    func(string) ([]byte, error)
	loops    []loop
	anys     map[string]token.Pos // the variables of which nothing is known

	subGroupSize int64 // what //cl:sub_group_size says, or 0
}

// load runs the stages. Each needs the one before to have found no fault,
// except that the checks of the subset run on whatever could be type-checked.
func load(name string, sources []source, opt Options, others ...source) (p *ir.Program, err error) {
	sources = withSync(sources)
	m := &model{reporter: newReporter(), name: name, opt: opt, sources: sources, helpers: map[string]*helper{},
		texts: textsOf(others), programs: map[*types.Var]*programDirective{}}
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, m.internal(r)
		}
	}()
	if m.parse(); m.failed() {
		return nil, m.err()
	}
	m.checkImports()
	m.define()
	m.takeAnys()
	m.markRounds()
	m.all = append(slices.Clip(m.own), m.declareRounds("main"))
	m.typeCheck()
	m.checkSubset()
	m.checkDirectives()
	m.checkMain()
	if m.failed() {
		return nil, m.err()
	}
	p = build(m, m.buildSSA())
	if m.failed() {
		return nil, m.err()
	}
	p.Link()
	if err := p.Verify(); err != nil {
		return nil, m.internal(err)
	}
	return p, nil
}

// internal turns a bug of this package into a diagnostic.
func (m *model) internal(cause any) error {
	name := "model"
	if len(m.sources) > 0 {
		name = m.sources[0].name
	}
	message := fmt.Sprintf("internal error: %v", cause)
	if at := frameOf(debug.Stack()); at != "" {
		message += " at " + at
	}
	return Diagnostics{{Pos: token.Position{Filename: name}, Message: message,
		Hint: "this is a bug of clmc: please report it together with the model"}}
}

// frameOf finds the innermost function of this package below the panic.
func frameOf(stack []byte) string {
	_, below, _ := strings.Cut(string(stack), "panic(")
	for line := range strings.Lines(below) {
		if strings.HasPrefix(line, "\t") && strings.Contains(line, "/models/load/") {
			at, _, _ := strings.Cut(filepath.Base(strings.TrimSpace(line)), " ")
			return at
		}
	}
	return ""
}

// parse reads the syntax of every source.
func (m *model) parse() {
	for _, s := range m.sources {
		if filepath.Base(s.name) == modFile {
			m.mod, _ = readMod(s)
		}
	}
	for i := range m.sources {
		s := &m.sources[i]
		if filepath.Base(s.name) == modFile || !m.checkText(s) {
			continue
		}
		m.addFile(s.name, s.text)
		f, err := parser.ParseFile(m.fset, s.name, s.text, parser.ParseComments|parser.SkipObjectResolution)
		if list, ok := err.(scanner.ErrorList); ok {
			list.RemoveMultiples()
			for _, e := range list {
				e.Pos.Filename = s.name
				m.report(e.Pos, "", e.Msg)
			}
			continue
		}
		if err != nil {
			m.report(token.Position{Filename: s.name}, "", err.Error())
			continue
		}
		m.files = append(m.files, f)
		if h := m.helperOf(s.name); h != nil {
			h.files = append(h.files, f)
			continue
		}
		if f.Name.Name != "main" {
			m.errorf(f.Name.Pos(), "write instead: package main", "a model is package main, not package %s", f.Name.Name)
		}
		m.own = append(m.own, f)
	}
}

// typeCheck runs the Go type checker and reports what it finds.
func (m *model) typeCheck() {
	m.info = &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Implicits:  map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes:     map[ast.Node]*types.Scope{},
		Instances:  map[*ast.Ident]types.Instance{},
		// go/ssa refuses generic range loops without it.
		FileVersions: map[*ast.File]string{},
	}
	m.pkg = m.check("main", m.all)
}

// check runs the Go type checker on one package.
func (m *model) check(path string, files []*ast.File) *types.Package {
	config := types.Config{
		Importer:  m,
		GoVersion: "go1.26",
		Sizes:     types.SizesFor("gc", "amd64"),
		Error:     func(err error) { m.typeError(err) },
	}
	pkg, _ := config.Check(path, m.fset, files, m.info)
	return pkg
}

func (m *model) typeError(err error) {
	e, ok := err.(types.Error)
	if !ok || strings.Contains(e.Msg, errImport.Error()) {
		return // checkImports reports imports
	}
	m.errorf(e.Pos, typeHint(e.Msg), "%s", strings.ReplaceAll(e.Msg, vocabularyPath+".", "cl."))
}

// typeHint explains the type errors that stem from the modelling language
// rather than from Go.
func typeHint(message string) string {
	if _, name, ok := strings.Cut(message, "undefined: cl."); ok {
		if hint := hintFor(name); hint != "" {
			return hint
		}
		return "docs/language.md lists the vocabulary"
	}
	if name, ok := strings.CutPrefix(message, "undefined: "); ok {
		return hintFor(name)
	}
	switch {
	case strings.HasPrefix(message, "cannot index") && strings.Contains(message, "of type *"):
		return "a pointer to several elements is a slice here: a []int32"
	case strings.Contains(message, "imported and not used"):
		return "leave the import out"
	case strings.Contains(message, "as func() value in argument"):
		return "give the kernel no parameters: __global int *a is a package-level variable, var a [8]int32 or var a = cl.NewBuffer[int32](8); " +
			"a value is a constant or a variable, or captured by a function literal: func() { k(a, n) }"
	case strings.Contains(message, "operator") && strings.Contains(message, "cl.Atomic"),
		strings.Contains(message, "mismatched types") && strings.Contains(message, "cl.Atomic"),
		strings.Contains(message, "non-numeric") && strings.Contains(message, "cl.Atomic"),
		strings.Contains(message, "cl.Atomic") && strings.Contains(message, "cannot compare"):
		return "write instead: cl.AtomicLoad, cl.AtomicFetchAdd and the like; Go operators do not work on atomic variables"
	case strings.Contains(message, "as cl.Atomic"), strings.Contains(message, "(untyped int constant) as") && strings.Contains(message, "cl.Atomic"):
		return "write instead: cl.AtomicStore or cl.AtomicInit; for the initial value of a package-level variable cl.AtomicVarInit[int32](1)"
	case strings.Contains(message, "cl.Atomic") && strings.Contains(message, "does not match"):
		return "pass the address of an atomic variable: &x"
	}
	return ""
}

// checkMain reports a model without host program.
func (m *model) checkMain() {
	if m.pkg == nil || m.failed() {
		return
	}
	if f, ok := m.pkg.Scope().Lookup("main").(*types.Func); !ok || f == nil {
		m.report(token.Position{Filename: m.sources[0].name},
			"add a host program: func main() { cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1)); cl.Finish() }",
			"the model has no func main")
	}
}

// buildSSA builds the SSA form of the model.
func (m *model) buildSSA() *ssa.Package {
	prog := ssa.NewProgram(m.fset, ssa.InstantiateGenerics|ssa.GlobalDebug)
	if words, err := vocabulary(); err == nil {
		prog.CreatePackage(words, nil, nil, true)
	}
	for _, h := range m.order {
		h.ssa = prog.CreatePackage(h.pkg, h.all, m.infoOf(h.pkg), true)
		h.ssa.Build()
	}
	pkg := prog.CreatePackage(m.pkg, m.all, m.infoOf(m.pkg), false)
	pkg.Build()
	return pkg
}

// infoOf returns what is known of all packages, with the initialisers of one.
func (m *model) infoOf(pkg *types.Package) *types.Info {
	info := *m.info
	info.InitOrder = slices.DeleteFunc(slices.Clone(info.InitOrder), func(i *types.Initializer) bool { return i.Lhs[0].Pkg() != pkg })
	return &info
}
