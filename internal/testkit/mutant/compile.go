package mutant

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A mutant that does not compile tells nothing, and is found out only on its day. So each is
// checked for that on all days: its package is parsed once, and type-checked with each
// of its mutants' files in turn, against what the go command has compiled of its imports. Of the
// other files the bodies of functions are left out, since a mutant seldom changes what they see.

// listed is what the go command says of a package.
type listed struct {
	ImportPath string
	Export     string            // the file with what its importers see
	Dir        string            // where its sources are
	GoFiles    []string          // those that are built here
	ImportMap  map[string]string // by what the sources name: what is meant
}

// compiler type-checks packages of this module.
type compiler struct {
	root     string
	fset     *token.FileSet
	packages map[string]*listed // by folder, from the root
	imports  types.Importer
	files    map[string][]*ast.File // by folder, in the order of GoFiles
}

// newCompiler makes one for the packages of these mutants.
func newCompiler(list []Mutant) (*compiler, error) {
	root, err := root()
	if err != nil {
		return nil, err
	}
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles,ImportMap"}
	for _, m := range list {
		if dir := "./" + path.Dir(m.File); !slices.Contains(args, dir) {
			args = append(args, dir)
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, said.String())
	}
	c := &compiler{root: root, fset: token.NewFileSet(), packages: map[string]*listed{}, files: map[string][]*ast.File{}}
	exports := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := &listed{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if dir, err := filepath.Rel(root, p.Dir); err == nil {
			c.packages[filepath.ToSlash(dir)] = p
		}
	}
	c.imports = importer.ForCompiler(c.fset, "gc", func(name string) (io.ReadCloser, error) {
		return os.Open(exports[name])
	})
	return c, nil
}

// check reports why a mutant does not compile, if it does not.
func (c *compiler) check(m Mutant) error {
	file, text, err := m.text()
	if err != nil {
		return err
	}
	p, files, at, err := c.parsed(m.File)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Rule, err)
	}
	f, err := parser.ParseFile(c.fset, file, strings.Replace(text, m.Old, m.New, 1), parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("%s: does not compile: %w", m.Rule, err)
	}
	files[at] = f
	if err := c.types(p, files, f); err != nil {
		return fmt.Errorf("%s: does not compile: %w", m.Rule, err)
	}
	return nil
}

// parsed returns the package of a file, its files without the bodies of functions, and which of them it is.
func (c *compiler) parsed(name string) (p *listed, files []*ast.File, at int, err error) {
	dir := path.Dir(name)
	if p = c.packages[dir]; p == nil {
		return nil, nil, 0, fmt.Errorf("no package in %s", dir)
	}
	if at = slices.Index(p.GoFiles, path.Base(name)); at < 0 {
		return nil, nil, 0, fmt.Errorf("%s is not built here", name)
	}
	if c.files[dir] == nil {
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, nil, 0, err
			}
			c.files[dir] = append(c.files[dir], withoutBodies(f))
		}
	}
	return p, slices.Clone(c.files[dir]), at, nil
}

// offset is where in its file an error of the type checker is.
func (c *compiler) offset(err error) int {
	if e, ok := err.(types.Error); ok {
		return c.fset.Position(e.Pos).Offset
	}
	return -1
}

// types returns the first error in one of the files of a package.
func (c *compiler) types(p *listed, files []*ast.File, in *ast.File) (first error) {
	conf := types.Config{Importer: mapped{c.imports, p.ImportMap}, Error: func(err error) {
		if e, ok := err.(types.Error); first == nil && (!ok || in.FileStart <= e.Pos && e.Pos < in.FileEnd) {
			first = err
		}
	}}
	_, _ = conf.Check(p.ImportPath, c.fset, files, nil) // errors have been told
	return first
}

// withoutBodies makes the functions of a file ones that are written elsewhere.
func withoutBodies(f *ast.File) *ast.File {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Type.TypeParams == nil && d.Name.Name != "init" {
			d.Body = nil
		}
	}
	return f
}

// mapped imports what the sources of a package mean by a name.
type mapped struct {
	types.Importer
	names map[string]string
}

func (m mapped) Import(name string) (*types.Package, error) {
	if is, ok := m.names[name]; ok {
		name = is
	}
	return m.Importer.Import(name)
}
