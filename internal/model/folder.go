package model

import (
	"go/ast"
	"go/parser"
	"go/token"
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
	g.ignored = !load.Builds(text)
	g.main = slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv == nil && fn.Name.Name == "main"
	})
	return g
}

// inFolder returns the models that the Go files of a folder are, without those below it.
func inFolder(dir string) []Target {
	var alone, together []goFile
	for _, name := range goFiles(dir) {
		if g := readGoFile(name); g.ignored {
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
	var found []Target
	switch {
	case len(together) == 0 && len(alone) == 1:
		return []Target{Target(dir)}
	case mains > 1:
		alone = append(alone, together...)
	case dir == "." && len(together) == 1 && together[0].main: // the file says more than the folder
		alone = append(alone, together...)
	case len(together) > 0 && slices.ContainsFunc(together, func(g goFile) bool { return g.command }):
		found = []Target{Target(dir)}
	}
	for _, g := range alone {
		if g.main {
			found = append(found, Target(g.name))
		}
	}
	slices.SortFunc(found, func(a, b Target) int { return strings.Compare(string(a), string(b)) })
	return found
}
