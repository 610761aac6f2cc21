package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/internal/regular"
)

// A model can import packages of its own module, so that an idiom is written once: a package
// of the same language without a function main. All its files, and the go.mod that says where they are, are among
// the model's texts, so that the model can be loaded again from these.

// modFile is the name of the file that says what module a folder is.
const modFile = "go.mod"

// maxMod bounds what is read of a go.mod.
const maxMod = 1 << 20

// helper is a package that a model imports.
type helper struct {
	path  string
	files []*ast.File
	all   []*ast.File    // and what the loader adds to them
	pkg   *types.Package // once checked
	ssa   *ssa.Package
	busy  bool // being checked
}

// withPackages adds to the texts of a model those of the packages of its module that it imports,
// directly or not, and the module's go.mod.
func withPackages(sources []source) []source {
	if len(sources) == 0 {
		return nil
	}
	mod, ok := findMod(filepath.Dir(sources[0].name))
	if !ok {
		return sources
	}
	all := slices.Clip(sources)
	known := map[string]bool{}
	for i := 0; i < len(all) && len(all) < maxFiles; i++ {
		for _, imported := range importsOf(all[i]) {
			dir, ok := mod.dir(imported)
			if !ok || known[dir] {
				continue
			}
			known[dir] = true
			more, err := readFolder(dir)
			if err != nil {
				continue // the import is refused then, with its place
			}
			if !slices.ContainsFunc(all, func(s source) bool { return s.name == mod.name }) {
				all = append(all, mod.source)
			}
			all = append(all, more...)
		}
	}
	return all
}

// module is a go.mod and what it says.
type module struct {
	source
	path string
}

// findMod finds the go.mod of a folder, there or above.
func findMod(dir string) (module, bool) {
	for up := dir; ; up = filepath.Join(up, "..") {
		name := filepath.Join(up, modFile)
		if text, err := regular.Read(name, maxMod); err == nil {
			return readMod(source{name: name, text: text})
		}
		abs, err := filepath.Abs(up)
		if err != nil || abs == filepath.Dir(abs) {
			return module{}, false
		}
	}
}

// readMod reads the name of a module.
func readMod(s source) (module, bool) {
	for line := range strings.Lines(string(s.text)) {
		if words := strings.Fields(line); len(words) >= 2 && words[0] == "module" {
			name, err := strconv.Unquote(words[1])
			if err != nil {
				name = words[1]
			}
			return module{s, name}, true
		}
	}
	return module{}, false
}

// dir returns the folder of a package of the module.
func (m *module) dir(imported string) (string, bool) {
	rest, ok := strings.CutPrefix(imported, m.path+"/")
	if !ok || imported == vocabularyPath || path.Clean(rest) != rest || strings.HasPrefix(rest, "..") {
		return "", false
	}
	return filepath.Join(filepath.Dir(m.name), filepath.FromSlash(rest)), true
}

// importsOf lists what a file imports.
func importsOf(s source) (paths []string) {
	f, err := parser.ParseFile(token.NewFileSet(), s.name, s.text, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

// readFolder reads the Go files of a folder that are built together.
func readFolder(dir string) ([]source, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, os.ErrNotExist
	}
	return read(dir)
}

// helperOf returns the package that a file belongs to, by its folder; nil for the model itself.
func (m *model) helperOf(name string) *helper {
	if name == syncFile {
		return m.helperAt(syncPath)
	}
	dir := filepath.Dir(name)
	if m.mod.path == "" || dir == filepath.Dir(m.sources[0].name) {
		return nil
	}
	rel, err := filepath.Rel(filepath.Dir(m.mod.name), dir)
	if err != nil {
		return nil
	}
	return m.helperAt(path.Join(m.mod.path, filepath.ToSlash(rel)))
}

// helperAt returns the package of a path, to which a file is added.
func (m *model) helperAt(p string) *helper {
	if m.helpers[p] == nil {
		m.helpers[p] = &helper{path: p}
	}
	return m.helpers[p]
}

// Import implements types.Importer: the vocabulary, and the packages that came with the model.
func (m *model) Import(imported string) (*types.Package, error) {
	if imported == vocabularyPath {
		return vocabulary()
	}
	h := m.helpers[imported]
	if h == nil || h.busy {
		return nil, errImport
	}
	if h.pkg == nil {
		h.busy = true
		h.all = append(slices.Clip(h.files), m.declareRounds(h.files[0].Name.Name))
		h.pkg = m.check(imported, h.all)
		h.busy = false
		m.order = append(m.order, h)
	}
	return h.pkg, nil
}

// circular reports whether a package imports itself, directly or not.
func (m *model) circular(imported string, seen map[string]bool) bool {
	h := m.helpers[imported]
	if h == nil {
		return false
	}
	if seen[imported] {
		return true
	}
	seen[imported] = true
	defer delete(seen, imported)
	for _, f := range h.files {
		for _, s := range f.Imports {
			if p, err := strconv.Unquote(s.Path.Value); err == nil && m.circular(p, seen) {
				return true
			}
		}
	}
	return false
}
