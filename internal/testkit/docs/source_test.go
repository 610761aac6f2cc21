package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../../.."
	module = "github.com/clmc/clmc"
)

// source is a package of this module as its files have it, those for other platforms
// included and tests left out.
type source struct {
	path    string // from the root of the module
	name    string
	imports []string // of this module, by path from the root; sorted
	files   []*ast.File
}

// sources reads the packages of the module, in the order of their paths: all but the models,
// which are programs for clmc and not for Go.
func sources(t *testing.T) (list []*source, fset *token.FileSet) {
	t.Helper()
	fset = token.NewFileSet()
	byPath := map[string]*source{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && file != root && (strings.HasPrefix(name, ".") || name == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(rel)
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || isModel(dir, f) {
			return err
		}
		s := byPath[dir]
		if s == nil {
			s = &source{path: dir, name: f.Name.Name}
			byPath[dir] = s
			list = append(list, s)
		}
		s.files = append(s.files, f)
		for _, imp := range f.Imports {
			p, _ := strconv.Unquote(imp.Path.Value)
			if p, ok := strings.CutPrefix(p, module+"/"); ok && !slices.Contains(s.imports, p) {
				s.imports = append(s.imports, p)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		slices.Sort(s.imports)
	}
	slices.SortFunc(list, func(a, b *source) int { return strings.Compare(a.path, b.path) })
	if len(list) < 20 {
		t.Fatalf("%d packages: not those of this module", len(list))
	}
	return list, fset
}

// isModel reports whether a file is a model or a part of one.
func isModel(dir string, f *ast.File) bool {
	over := path.Dir(dir)
	return f.Name.Name == "main" && (over == "models/shipped" || over == "models/bench")
}

// declared returns the names of what the packages declare: "state.State",
// "state.State.Append", "explore.Run". Names of fields are there as those of methods are.
func declared(list []*source) map[string]ast.Node {
	names := map[string]ast.Node{}
	for _, s := range list {
		for _, f := range s.files {
			for _, d := range f.Decls {
				declare(names, path.Base(s.path), d)
			}
		}
	}
	return names
}

func declare(names map[string]ast.Node, room string, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = receiver(d) + "." + name
		}
		names[room+"."+name] = d
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names[room+"."+s.Name.Name] = whole(d, s)
				declareFields(names, room+"."+s.Name.Name, s.Type)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names[room+"."+n.Name] = whole(d, s)
				}
			}
		}
	}
}

// whole returns the declaration that has the comment of a spec: the spec in a group.
func whole(d *ast.GenDecl, s ast.Node) ast.Node {
	if d.Lparen.IsValid() {
		return s
	}
	return d
}

func declareFields(names map[string]ast.Node, of string, t ast.Expr) {
	switch t := t.(type) {
	case *ast.StructType:
		for _, f := range t.Fields.List {
			for _, n := range f.Names {
				names[of+"."+n.Name] = f
			}
		}
	case *ast.InterfaceType:
		for _, f := range t.Methods.List {
			for _, n := range f.Names {
				names[of+"."+n.Name] = f
			}
		}
	}
}

// receiver returns the name of the type of a method.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
