// Package fields tells which fields of a struct functions name. Tests use it to see
// that a new field is not forgotten where each must be thought of: copied, reset,
// encoded. A field that is left out on purpose is named there, with the reason.
package fields

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Duty is what must think of every field of a struct.
type Duty struct {
	What string
	// Funcs do it: functions of the package, methods as "Type.Method".
	Funcs []string
	// But says of fields that they do not name why they need not.
	But map[string]string
}

// Check fails unless the functions of each duty name all fields of a struct of the
// package in a folder, but for those that need not be. It also fails if there is no
// such function, or if a field that need not be named is, or does not exist.
func Check(t *testing.T, dir, typ string, duties []Duty) {
	t.Helper()
	p, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.fieldsOf(typ)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range duties {
		named, err := p.named(typ, d.Funcs)
		if err != nil {
			t.Errorf("%s: %v", d.What, err)
			continue
		}
		for _, f := range all {
			if _, but := d.But[f]; !named[f] && !but {
				t.Errorf("%s: %s.%s is forgotten in %s: think of it there, or say here why it need not be", d.What, typ, f, strings.Join(d.Funcs, ", "))
			}
		}
		for _, f := range slices.Sorted(maps.Keys(d.But)) {
			if named[f] || !slices.Contains(all, f) {
				t.Errorf("%s: it is no longer so that %s.%s is left out, as %s", d.What, typ, f, d.But[f])
			}
		}
	}
}

// source is the code of a package, as far as it can be understood without those that
// it imports.
type source struct {
	pkg   *types.Package
	info  *types.Info
	funcs map[string]*ast.FuncDecl
}

// load reads the package in a folder, without its tests.
func load(dir string) (*source, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	p := &source{funcs: map[string]*ast.FuncDecl{}, info: &types.Info{Uses: map[*ast.Ident]types.Object{}}}
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				p.funcs[receiver(d)+d.Name.Name] = d
			}
		}
	}
	// What the package imports is not there, so that it has errors; its own fields are
	// known nevertheless.
	conf := types.Config{Importer: nothing{}, Error: func(error) {}}
	p.pkg, _ = conf.Check(dir, set, files, p.info)
	if p.pkg == nil || len(files) == 0 {
		return nil, fmt.Errorf("%s: no package", dir)
	}
	return p, nil
}

// receiver returns the type that a method belongs to, and a dot.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	return types.ExprString(t) + "."
}

// nothing imports packages that are empty.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	p.MarkComplete()
	return p, nil
}

func (p *source) fieldsOf(typ string) (names []string, err error) {
	obj := p.pkg.Scope().Lookup(typ)
	if obj == nil {
		return nil, fmt.Errorf("there is no type %s", typ)
	}
	s, ok := obj.Type().Underlying().(*types.Struct)
	if !ok {
		return nil, fmt.Errorf("%s is no struct", typ)
	}
	for f := range s.Fields() {
		names = append(names, f.Name())
	}
	return names, nil
}

// named tells which fields of a struct some functions name: by selecting them, or by
// giving them a value in a literal.
func (p *source) named(typ string, funcs []string) (map[string]bool, error) {
	fields := map[types.Object]bool{}
	s := p.pkg.Scope().Lookup(typ).Type().Underlying().(*types.Struct)
	for f := range s.Fields() {
		fields[f] = true
	}
	named := map[string]bool{}
	for _, name := range funcs {
		d := p.funcs[name]
		if d == nil {
			return nil, fmt.Errorf("there is no function %s", name)
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && fields[p.info.Uses[id]] {
				named[id.Name] = true
			}
			return true
		})
	}
	return named, nil
}
