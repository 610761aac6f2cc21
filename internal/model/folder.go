package model

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/load"
)

// A folder of Go files is one model, like a package of Go, unless several of them have a function
// main: then each of those is a model by itself, and so is one that a build constraint leaves
// out of the package (//go:build ignore), which editors take for a program of its own.

// goFile is what a Go file says about whose it is.
type goFile struct {
	name    string
	command bool // package main
	main    bool // with func main
	ignored bool // by its build constraint
	// vocabulary: it imports what models are written with. part: it is part of a model.
	vocabulary, part bool
	imports          []string // the last parts of their paths
	text             []byte
}

// maxGoFile bounds what is read of a Go file to find that out; models are smaller.
const maxGoFile = 1 << 20

// readGoFile reads what a file says. One that is not Go counts as a part of the folder's
// model: who loads that says what is wrong with it.
func readGoFile(name string) goFile {
	g := goFile{name: name, command: true}
	text, err := regular.Read(name, maxGoFile)
	if err != nil {
		return g
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if f == nil || f.Name == nil {
		return g
	}
	g.command = f.Name.Name == "main" || err != nil && f.Name.Name == "_"
	g.ignored, g.text = !load.Builds(text), text
	for _, i := range f.Imports {
		name := strings.Trim(i.Path.Value, "\"`")
		g.vocabulary = g.vocabulary || strings.HasSuffix(name, "/models/cl")
		g.imports = append(g.imports, path.Base(name))
	}
	g.main = slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv == nil && fn.Name.Name == "main"
	})
	return g
}

// inFolder returns the models that the Go files of a folder are, without those below it, and these files.
func inFolder(dir string) (found []Target, files []goFile) {
	var alone, together []*goFile
	names := goFiles(dir)
	files = make([]goFile, len(names))
	for i, name := range names {
		g := &files[i]
		if *g = readGoFile(name); g.ignored {
			alone = append(alone, g)
		} else {
			together = append(together, g)
		}
	}
	mains := 0
	for _, g := range together {
		if g.main {
			mains++
		}
	}
	whole := func(list []*goFile) {
		found = []Target{Target(dir)}
		for _, g := range list {
			g.part = true
		}
	}
	switch {
	case len(together) == 0 && len(alone) == 1:
		whole(alone)
		return found, files
	case mains > 1:
		alone = append(alone, together...)
	case dir == "." && len(together) == 1 && together[0].main: // the file says more than the folder
		alone = append(alone, together...)
	case len(together) > 0 && slices.ContainsFunc(together, func(g *goFile) bool { return g.command }):
		whole(together)
	}
	for _, g := range alone {
		if g.main {
			g.part = true
			found = append(found, Target(g.name))
		}
	}
	slices.SortFunc(found, func(a, b Target) int { return strings.Compare(string(a), string(b)) })
	return found, files
}
