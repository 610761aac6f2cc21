package cli

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state/ir"
)

// target names something to explore, as the user wrote it or as it was found
// in a folder: a Go file, a folder of Go files, a litmus test, or @name.
type target string

const litmusExt = ".litmus"

func (t target) isLitmus() bool { return filepath.Ext(string(t)) == litmusExt }

// model is a target that has been loaded.
type model struct {
	name    string
	program *ir.Program
	test    *litmus.Test // nil unless it is a litmus test
}

// load reads a target. What is wrong with it is in the error, with positions.
func (t target) load(opt load.Options) (*model, error) {
	name := string(t)
	switch {
	case strings.HasPrefix(name, "@"):
		return loadShipped(name, opt)
	case t.isLitmus():
		if d := opt.Defines; len(d) > 0 {
			return nil, fmt.Errorf("-D %v: a litmus test has no constants to set", defines(d))
		}
		test, err := parseLitmus(name)
		if err != nil {
			return nil, err
		}
		return &model{name, test.Program, test}, nil
	}
	p, err := load.File(name, opt)
	if err != nil {
		return nil, err
	}
	return &model{name: name, program: p}, nil
}

// targets finds what the arguments of clmc explore name.
func targets(args []string) ([]target, error) {
	var all []target
	for _, arg := range args {
		found, err := expand(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// expand finds the models that one argument names.
func expand(arg string) ([]target, error) {
	if strings.HasPrefix(arg, "@") {
		return []target{target(arg)}, nil
	}
	info, err := os.Stat(arg)
	switch ext := filepath.Ext(arg); {
	case err != nil:
		return nil, unreadable(arg, err)
	case !info.IsDir() && ext != ".go" && ext != litmusExt:
		return nil, fmt.Errorf("%s: want a .go file, a .litmus file or a folder that holds some", arg)
	case !info.IsDir() || hasGoFile(arg):
		return []target{target(arg)}, nil
	}
	found, err := search(arg)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: the folder holds no models: no .go file in package main and no .litmus file", arg)
	}
	return found, err
}

// search finds the models below a folder.
func search(root string) (found []target, err error) {
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch name := e.Name(); {
		case err != nil:
			return unreadable(path, err)
		case e.IsDir() && path != root && (name == "testdata" || name == "internal" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")):
			return fs.SkipDir // as the go command does
		case e.IsDir() && isCommand(path), !e.IsDir() && target(path).isLitmus():
			found = append(found, target(path))
		}
		return nil
	})
	return found, err
}

// goFiles lists the Go files of a folder, tests left out.
func goFiles(dir string) []string {
	names, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "*.go")) // the pattern is well formed
	var files []string
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
	}
	return files
}

// escapeGlob keeps a folder's name from being read as a pattern.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func hasGoFile(dir string) bool { return len(goFiles(dir)) > 0 }

// maxClause bounds what is read of a file to find out its package.
const maxClause = 1 << 20

// isCommand reports whether a folder's Go files are in package main.
func isCommand(dir string) bool {
	files := goFiles(dir)
	if len(files) == 0 {
		return false
	}
	text, err := regular.Read(files[0], maxClause)
	if err != nil {
		return false
	}
	f, err := parser.ParseFile(token.NewFileSet(), files[0], text, parser.PackageClauseOnly)
	return err == nil && f.Name.Name == "main"
}

// unreadable words an error of the file system.
func unreadable(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no such file or folder\n'clmc models' lists the models that come with clmc; explore one with 'clmc explore @name'", path)
	}
	return fileError(path, err)
}

// maxLitmus bounds what is read of a litmus test; the parser refuses files of
// this size.
const maxLitmus = 1<<20 + 1

// parseLitmus reads a litmus test.
func parseLitmus(path string) (*litmus.Test, error) {
	text, err := regular.Read(path, maxLitmus)
	if err != nil {
		return nil, fileError(path, err)
	}
	return litmus.Parse(path, text)
}
