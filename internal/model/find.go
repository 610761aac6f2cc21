package model

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/clc"
)

// Target names something to explore, as the user wrote it or as it was found
// in a folder: a Go file, a folder of Go files, a kernel file, a litmus test, or @name.
type Target string

// LitmusExt ends the names of litmus tests.
const LitmusExt = ".litmus"

// IsLitmus reports whether the target is a litmus test.
func (t Target) IsLitmus() bool { return filepath.Ext(string(t)) == LitmusExt }

// IsKernel reports whether the target is a kernel file in OpenCL C, or one that names it.
func (t Target) IsKernel() bool { return clc.IsFile(string(t)) }

// isShipped reports whether the target is a model that comes with clmc.
func (t Target) isShipped() bool { return strings.HasPrefix(string(t), "@") }

// Found is what some names stand for.
type Found struct {
	Models []Target
	// Folders: some were found in folders.
	Folders bool
	// Left are what looks like a model in the folders and is not checked.
	Left []Left
}

// Find finds the models that some arguments name.
func Find(args ...string) (*Found, error) {
	all := &Found{}
	for _, arg := range args {
		found, err := find(arg)
		if err != nil {
			return nil, err
		}
		all.Models = append(all.Models, found.Models...)
		all.Left = append(all.Left, found.Left...)
		all.Folders = all.Folders || found.Folders
	}
	return all, nil
}

// find finds the models that one argument names.
func find(arg string) (*Found, error) {
	if Target(arg).isShipped() {
		return only(arg), nil
	}
	if dir, all := strings.CutSuffix(filepath.ToSlash(arg), "/..."); all || arg == "..." {
		if arg == "..." {
			dir = "."
		}
		return some(filepath.FromSlash(dir))
	}
	info, err := os.Stat(arg)
	switch ext := filepath.Ext(arg); {
	case err != nil:
		return nil, unreadable(arg, err)
	case !info.IsDir() && ext != ".go" && ext != LitmusExt && !clc.IsFile(arg):
		return nil, fmt.Errorf("%s: want a .go file, a .cl file, a .litmus file or a folder that holds some", arg)
	case !info.IsDir():
		return only(arg), nil
	}
	found, err := Below(arg)
	if err == nil && len(found.Models) == 0 && hasGoFile(arg) {
		return only(arg), nil // whoever loads it says what is wrong
	}
	return someOf(arg, found, err)
}

// only is one model.
func only(name string) *Found { return &Found{Models: []Target{Target(name)}} }

// some finds the models in a folder and below, and complains if there is none.
func some(dir string) (*Found, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, unreadable(dir, err)
	}
	found, err := Below(dir)
	return someOf(dir, found, err)
}

// someOf complains if nothing was found in a folder.
func someOf(dir string, found *Found, err error) (*Found, error) {
	if err != nil || len(found.Models) > 0 {
		return found, err
	}
	text := fmt.Sprintf("%s: the folder holds no models: no .go file in package main, no .litmus file and no .cl file with a //clmc:launch line", dir)
	for _, line := range Leftovers(found.Left) {
		text += "\n" + line
	}
	return nil, errors.New(text)
}

// Below finds the models in a folder and in those below it.
func Below(root string) (*Found, error) {
	top := root
	if info, err := os.Lstat(root); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		top += string(filepath.Separator) // what the link leads to
	}
	w := newWalk()
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return unreadable(path, err)
		case e.IsDir() && path != top && passedOver(e.Name()):
			w.hidden(path)
			return fs.SkipDir
		case e.IsDir():
			w.folder(path)
		default:
			w.file(path, e)
		}
		return nil
	})
	return w.found(), err
}

// goFiles lists the Go files of a folder, tests left out.
func goFiles(dir string) []string {
	names, _ := filepath.Glob(filepath.Join(EscapeGlob(dir), "*.go")) // the pattern is well formed
	var files []string
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
	}
	return files
}

// EscapeGlob keeps a folder's name from being read as a pattern.
func EscapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func hasGoFile(dir string) bool { return len(goFiles(dir)) > 0 }

// unreadable words an error of the file system.
func unreadable(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no such file or folder\n'clmc models' lists the models that come with clmc; explore one with 'clmc explore @name'", path)
	}
	return regular.Fault(path, err)
}
