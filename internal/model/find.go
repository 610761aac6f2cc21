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

// Find finds the models that some arguments name.
func Find(args ...string) ([]Target, error) {
	var all []Target
	for _, arg := range args {
		found, err := find(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// find finds the models that one argument names.
func find(arg string) ([]Target, error) {
	if Target(arg).isShipped() {
		return []Target{Target(arg)}, nil
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
		return []Target{Target(arg)}, nil
	}
	if found := inFolder(arg); len(found) > 0 || hasGoFile(arg) && !hasMore(arg) {
		if len(found) == 0 {
			found = []Target{Target(arg)} // whoever loads it says what is wrong
		}
		return found, nil
	}
	return some(arg)
}

// some finds the models in a folder and below, and complains if there is none.
func some(dir string) ([]Target, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, unreadable(dir, err)
	}
	found, err := Below(dir)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: the folder holds no models: no .go file in package main, no .litmus file and no .cl file with a //clmc:launch line", dir)
	}
	return found, err
}

// hasMore reports whether there are models below a folder.
func hasMore(dir string) bool {
	found, err := Below(dir)
	return err != nil || len(found) > 0
}

// Below finds the models in a folder and in those below it.
func Below(root string) (found []Target, err error) {
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch name := e.Name(); {
		case err != nil:
			return unreadable(path, err)
		case e.IsDir() && path != root && (name == "testdata" || name == "internal" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")):
			return fs.SkipDir // as the go command does
		case e.IsDir():
			found = append(found, inFolder(path)...)
		case !e.IsDir() && (Target(path).IsLitmus() || isLaunched(path)):
			found = append(found, Target(path))
		}
		return nil
	})
	return found, err
}

// isLaunched reports whether a file is a kernel file that says how it is launched. Others may be what is included, or
// need flags.
func isLaunched(path string) bool {
	if filepath.Ext(path) != clc.Ext {
		return false
	}
	text, err := regular.Read(path, maxKernel)
	return err == nil && clc.HasLaunch(text)
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

// maxKernel bounds what is read of a kernel file to find out whether it is launched.
const maxKernel = 4 << 20

// unreadable words an error of the file system.
func unreadable(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no such file or folder\n'clmc models' lists the models that come with clmc; explore one with 'clmc explore @name'", path)
	}
	return regular.Fault(path, err)
}
