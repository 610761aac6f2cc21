package mutant

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strings"
)

// A schema is one set of sources with many mutants in them, of which one is chosen when the program
// starts. To build and link a test takes longer than to run it, so that all mutants of a list share
// a build: beside a function stands a copy of it for each mutant within it, and it begins by asking
// whether one of them is active.
//
//	func f(a int) int { switch mutantActive { case 3: return mutant3_f(a) }; return a + 1 }
//	func mutant3_f(a int) int { return a - 1 }
//
// Who calls f calls the mutant, the mutant itself included. What is not within the body of a function
// cannot be chosen so, and is built alone.

// activeName is the number of the active mutant, in each package that has some; Environment sets it.
const activeName = "mutantActive"

// Environment is the variable that says which mutant of a schema is active, by its number from 1.
const Environment = "CLMC_MUTANT"

// activeSource is the file that declares activeName. Variables of a package are initialised in the order in
// which they need each other, by way of functions too, so that it is set before any function asks.
const activeSource = `package %s

import (
	"os"
	"strconv"
)

var ` + activeName + `, _ = strconv.Atoi(os.Getenv("` + Environment + `"))
`

// activeFile is its name.
const activeFile = "mutant_active_generated.go"

// place is where a mutant changes a file: text[from:to] becomes with, within the function fn.
type place struct {
	number   int
	m        Mutant
	from, to int
	with     string
	fn       *ast.FuncDecl
}

// schemaFile is one file of a schema.
type schemaFile struct {
	pkg    string // the name of its package
	text   string
	copies []span // of the mutants that are in it
}

// span is the part of a file that one mutant's copy takes.
type span struct{ number, from, to int }

// numbered is a mutant and its number in a schema.
type numbered struct {
	number int
	m      Mutant
}

// schemaOf puts the mutants of one file into it. Of those that cannot be put there it returns why.
func schemaOf(name, text string, list []numbered) (*schemaFile, map[int]error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	alone := map[int]error{}
	if err != nil {
		for _, n := range list {
			alone[n.number] = err
		}
		return &schemaFile{text: text}, alone
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	var places []place
	for _, n := range list {
		p, err := placeOf(f, at, text, n)
		if err != nil {
			alone[n.number] = err
			continue
		}
		places = append(places, p)
	}
	return written(f, at, text, places), alone
}

// placeOf finds where a mutant is, and whether a copy of one function can have it.
func placeOf(f *ast.File, at func(token.Pos) int, text string, n numbered) (place, error) {
	from := strings.Index(text, n.m.Old)
	if from < 0 {
		return place{}, fmt.Errorf("the text is not there")
	}
	to, with := from+len(n.m.Old), n.m.New
	for from < to && with != "" && text[from] == with[0] { // what stays is not changed
		from, with = from+1, with[1:]
	}
	for from < to && with != "" && text[to-1] == with[len(with)-1] {
		to, with = to-1, with[:len(with)-1]
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || from < at(fn.Body.Lbrace)+1 || to > at(fn.Body.Rbrace) {
			continue
		}
		p := place{n.number, n.m, from, to, with, fn}
		return p, p.fits(at, text)
	}
	return place{}, fmt.Errorf("it is not within one function")
}

// fits reports why the function that is changed cannot have a copy, if so.
func (p *place) fits(at func(token.Pos) int, text string) error {
	if p.fn.Type.TypeParams != nil {
		for _, f := range p.fn.Type.TypeParams.List {
			if slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Name == "_" }) {
				return fmt.Errorf("a type parameter has no name")
			}
		}
	}
	if why := caller(p.fn.Body); why != "" {
		return fmt.Errorf("%s tells the copy from the function", why)
	}
	// The function must end where it did: a change of braces can move its end.
	fset := token.NewFileSet()
	src := "package p\n" + p.copied(at, text)
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("does not compile: %w", first(err))
	}
	if len(f.Decls) != 1 {
		return fmt.Errorf("it is not within one function")
	}
	return nil
}

// first returns the first of the errors of a parser.
func first(err error) error {
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		return list[0]
	}
	return err
}

// caller names a call in a function that does not mean the same in a copy, which the function calls.
func caller(body *ast.BlockStmt) (what string) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // who defers it, or is its caller, is the copy alike
		case *ast.CallExpr:
			switch f := n.Fun.(type) {
			case *ast.Ident:
				if f.Name == "recover" {
					what = "recover"
				}
			case *ast.SelectorExpr:
				if x, ok := f.X.(*ast.Ident); ok && x.Name == "runtime" && strings.HasPrefix(f.Sel.Name, "Caller") {
					what = "runtime." + f.Sel.Name
				}
			}
		}
		return true
	})
	return what
}

// copyName is what a mutant's copy of a function is called.
func (p *place) copyName() string { return fmt.Sprintf("mutant%d_%s", p.number, p.fn.Name.Name) }

// copied is the mutant's copy of the function.
func (p *place) copied(at func(token.Pos) int, text string) string {
	name, end := at(p.fn.Name.Pos()), at(p.fn.End())
	return text[at(p.fn.Pos()):name] + p.copyName() + text[name+len(p.fn.Name.Name):p.from] + p.with + text[p.to:end]
}

// insertion is text that a file gets.
type insertion struct {
	at   int
	drop int // bytes that it replaces
	text string
}

// written is a file with the mutants in it.
func written(f *ast.File, at func(token.Pos) int, text string, places []place) *schemaFile {
	byFunc := map[*ast.FuncDecl][]place{}
	for _, p := range places {
		byFunc[p.fn] = append(byFunc[p.fn], p)
	}
	var ins []insertion
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && len(byFunc[fn]) > 0 {
			ins = append(ins, dispatch(fn, at, byFunc[fn])...)
		}
	}
	var b strings.Builder
	done := 0
	for _, i := range ins {
		b.WriteString(text[done:i.at])
		b.WriteString(i.text)
		done = i.at + i.drop
	}
	b.WriteString(text[done:])
	out := &schemaFile{pkg: f.Name.Name}
	for _, p := range places {
		b.WriteString("\n")
		from := b.Len()
		b.WriteString(p.copied(at, text))
		b.WriteString("\n")
		out.copies = append(out.copies, span{p.number, from, b.Len()})
	}
	out.text = b.String()
	return out
}

// dispatch makes a function ask for its mutants: it gives names to parameters that have none, and begins with a switch.
func dispatch(fn *ast.FuncDecl, at func(token.Pos) int, places []place) (ins []insertion) {
	named := 0
	names := func(list *ast.FieldList) (all []string) {
		if list == nil {
			return nil
		}
		for _, f := range list.List {
			if len(f.Names) == 0 {
				name := fmt.Sprintf("mutantP%d", named)
				named++
				ins = append(ins, insertion{at: at(f.Type.Pos()), text: name + " "})
				all = append(all, name)
			}
			for _, id := range f.Names {
				name := id.Name
				if name == "_" {
					name = fmt.Sprintf("mutantP%d", named)
					named++
					ins = append(ins, insertion{at: at(id.Pos()), drop: 1, text: name})
				}
				all = append(all, name)
			}
			if _, ok := f.Type.(*ast.Ellipsis); ok {
				all[len(all)-1] += "..."
			}
		}
		return all
	}
	receiver := names(fn.Recv)
	params := strings.Join(names(fn.Type.Params), ", ")
	var b strings.Builder
	b.WriteString(" switch " + activeName + " {")
	for _, p := range places {
		call := p.copyName()
		if receiver != nil {
			call = receiver[0] + "." + call
		}
		call += typeArguments(fn) + "(" + params + ")"
		if fn.Type.Results == nil {
			fmt.Fprintf(&b, " case %d: %s; return;", p.number, call)
		} else {
			fmt.Fprintf(&b, " case %d: return %s;", p.number, call)
		}
	}
	b.WriteString(" };")
	return append(ins, insertion{at: at(fn.Body.Lbrace) + 1, text: b.String()})
}

// typeArguments hands on the type parameters of a function.
func typeArguments(fn *ast.FuncDecl) string {
	if fn.Type.TypeParams == nil {
		return ""
	}
	var names []string
	for _, f := range fn.Type.TypeParams.List {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// schema is the files of a schema, by their names from the module's root, and the mutants that are not in it, with why.
type schema struct {
	files map[string]*schemaFile
	alone map[int]error
}

// schema puts mutants, which are numbered from 1, into files that compile.
func (c *compiler) schema(list []Mutant) (*schema, error) {
	s := &schema{map[string]*schemaFile{}, map[int]error{}}
	byFile := map[string][]numbered{}
	texts := map[string]string{}
	for i, m := range list {
		_, text, err := m.text()
		if err != nil {
			return nil, err
		}
		byFile[m.File] = append(byFile[m.File], numbered{i + 1, m})
		texts[m.File] = text
	}
	for name, in := range byFile {
		for {
			f, alone := schemaOf(name, texts[name], in)
			for n, err := range alone {
				s.alone[n] = err
			}
			err := c.compiles(name, f)
			if err == nil {
				s.files[name] = f
				break
			}
			// Who does not compile in a schema is left out of it, and built alone.
			wrong := slices.IndexFunc(f.copies, func(sp span) bool { return err.within(sp) })
			if wrong < 0 {
				return nil, fmt.Errorf("%s: the file with its mutants does not compile: %w", name, err)
			}
			number := f.copies[wrong].number
			s.alone[number] = fmt.Errorf("its copy does not compile: %w", err)
			in = slices.DeleteFunc(in, func(n numbered) bool { return n.number == number })
		}
	}
	return s, nil
}

// misfit is an error of the compiler at a place in a file.
type misfit struct {
	offset int
	err    error
}

func (e *misfit) Error() string { return e.err.Error() }

func (e *misfit) within(s span) bool { return s.from <= e.offset && e.offset < s.to }

// compiles returns the first error in a file of a schema.
func (c *compiler) compiles(name string, f *schemaFile) *misfit {
	p, files, at, err := c.parsed(name)
	if err != nil {
		return &misfit{-1, err}
	}
	file, err := parser.ParseFile(c.fset, name, f.text, parser.SkipObjectResolution)
	if err != nil {
		offset := -1
		if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
			offset = list[0].Pos.Offset
		}
		return &misfit{offset, first(err)}
	}
	active, err := parser.ParseFile(c.fset, activeFile, fmt.Sprintf(activeSource, file.Name.Name), parser.SkipObjectResolution)
	if err != nil {
		return &misfit{-1, err}
	}
	files = append(files, active)
	files[at] = file
	if err := c.types(p, files, file); err != nil {
		return &misfit{c.offset(err), err}
	}
	return nil
}

// packages are the folders that have files in a schema, with the names of their packages.
func (s *schema) packages() map[string]string {
	names := map[string]string{}
	for name, f := range s.files {
		names[path.Dir(name)] = f.pkg
	}
	return names
}
