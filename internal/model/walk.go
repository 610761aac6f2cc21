package model

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/clc"
)

// Left is what looks like a model and is not checked.
type Left struct {
	Path string
	Why  string
}

// Why something that looks like a model is not checked.
const (
	notLaunched = "it has no //clmc:launch line: add one, or name the file with --kernel, --global and --local"
	notMain     = "it imports models/cl, but is not a model: a model is package main and has a func main"
	notSim      = "this is not a file of Oclgrind: it names no kernel file, kernel and sizes"
	otherName   = "the names of models end in .go, .cl, .sim or .litmus"
	notFollowed = "clmc does not follow links to folders: name the folder itself"
	notEntered  = "clmc leaves out folders called testdata or internal, and those whose names begin with . or _, as the go command does: name the folder"
)

// Leftovers says what is not checked and why, in a line for each reason.
func Leftovers(left []Left) (lines []string) {
	const most = 20 // names in a line
	byWhy := map[string][]string{}
	var order []string
	for _, l := range left {
		if byWhy[l.Why] == nil {
			order = append(order, l.Why)
		}
		byWhy[l.Why] = append(byWhy[l.Why], l.Path)
	}
	for _, why := range order {
		names, more := byWhy[why], ""
		if n := len(names) - most; n > 0 {
			names, more = names[:most], fmt.Sprintf(" and %d more", n)
		}
		lines = append(lines, fmt.Sprintf("not checked: %s%s (%s)", strings.Join(names, ", "), more, why))
	}
	return lines
}

// Census says how many models there are of which kind, as in "2 models in Go, 1 litmus test".
func Census(models []Target) string {
	goModels, kernels, tests := 0, 0, 0
	for _, t := range models {
		switch {
		case t.IsLitmus():
			tests++
		case t.inOpenCLC():
			kernels++
		default:
			goModels++
		}
	}
	var parts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(goModels, "model in Go", "models in Go")
	add(kernels, "kernel file", "kernel files")
	add(tests, "litmus test", "litmus tests")
	return strings.Join(parts, ", ")
}

// inOpenCLC reports whether the target is a kernel file, also one that comes with clmc.
func (t Target) inOpenCLC() bool {
	if !t.isShipped() {
		return t.IsKernel()
	}
	m, err := Shipped(string(t))
	return err == nil && m.IsKernel()
}

// walk collects the models of folders.
type walk struct {
	models []Target
	left   []Left
	// used are the kernel files that others include, or launch.
	used map[string]bool
	// imported are the last parts of the paths that Go files import, and so the names of the folders of other packages.
	imported map[string]bool
}

func newWalk() *walk { return &walk{used: map[string]bool{}, imported: map[string]bool{}} }

// found is what the walk has found.
func (w *walk) found() *Found {
	f := &Found{Models: w.models, Folders: true}
	for _, l := range w.left {
		switch {
		case l.Why == notLaunched && w.used[l.Path]:
		case l.Why == notMain && w.imported[filepath.Base(filepath.Dir(l.Path))]:
		default:
			f.Left = append(f.Left, l)
		}
	}
	return f
}

func (w *walk) leave(path, why string) { w.left = append(w.left, Left{path, why}) }

// passedOver reports whether a folder of a name is not looked into, unless it is named: as the go command does.
func passedOver(name string) bool {
	return name == "testdata" || name == "internal" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// hidden names a folder that is not looked into, if there is a model in it.
func (w *walk) hidden(dir string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if e.IsDir() && path != dir && e.Name() == ".git" {
			return fs.SkipDir
		}
		in := newWalk()
		if e.IsDir() {
			in.folder(path)
		} else {
			in.file(path, e)
		}
		if len(in.models) > 0 {
			w.leave(dir, notEntered)
			return fs.SkipAll
		}
		return nil
	})
}

// usesOthers matches what names a kernel file: an #include of another, or a model in Go that launches it.
var usesOthers = regexp.MustCompile(`(?m)^(?:\s*#\s*include\s*["<]|//cl:program\s+)([^">\s]+)`)

// uses notes which kernel files a text uses.
func (w *walk) uses(path string, text []byte) {
	for _, m := range usesOthers.FindAllSubmatch(text, -1) {
		w.used[filepath.Join(filepath.Dir(path), filepath.FromSlash(string(m[1])))] = true
	}
}

// folder takes in the models that the Go files of a folder are.
func (w *walk) folder(dir string) {
	targets, files := inFolder(dir)
	w.models = append(w.models, targets...)
	for _, g := range files {
		w.uses(g.name, g.text)
		for _, name := range g.imports {
			w.imported[name] = true
		}
		if g.vocabulary && !g.part {
			w.leave(g.name, notMain)
		}
	}
}

// maxKernel bounds what is read of a kernel file to find out whether it is launched.
const maxKernel = 4 << 20

// file takes in a file that is no Go file.
func (w *walk) file(path string, e fs.DirEntry) {
	if e.Type()&fs.ModeSymlink != 0 {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			w.leave(path, notFollowed)
			return
		}
	}
	switch ext := filepath.Ext(path); {
	case ext == LitmusExt:
		w.models = append(w.models, Target(path))
	case ext == clc.Ext || ext == clc.SimExt:
		text, err := regular.Read(path, maxKernel+1)
		w.uses(path, text)
		name, isSim := clc.SimKernel(text)
		switch {
		case err != nil || len(text) > maxKernel || ext == clc.Ext && clc.HasLaunch(text):
			w.models = append(w.models, Target(path)) // what cannot be read is told by whoever loads it
		case ext == clc.Ext:
			w.leave(path, notLaunched)
		case isSim:
			w.models = append(w.models, Target(path))
			w.used[filepath.Join(filepath.Dir(path), filepath.FromSlash(name))] = true
		default:
			w.leave(path, notSim)
		}
	case otherNames[strings.ToLower(ext)]:
		w.leave(path, otherName)
	}
}

// otherNames end the names of files that are kernel files or tests to other tools, or to other systems.
var otherNames = map[string]bool{".cl": true, ".sim": true, ".litmus": true, ".ocl": true, ".opencl": true, ".clcpp": true}
