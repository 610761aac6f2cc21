package load

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"sync"

	"github.com/clmc/clmc/models/cl"
)

// vocabularyPath is the package that models import, beside those of their own module.
const vocabularyPath = "github.com/clmc/clmc/models/cl"

// vocabulary returns the type-checked package cl. It is built once: packages
// of go/types may be shared once they are complete.
var vocabulary = sync.OnceValues(func() (*types.Package, error) {
	fset := token.NewFileSet()
	names, err := fs.Glob(cl.SourceFiles, "*.go")
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range names {
		text, err := cl.SourceFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	config := types.Config{IgnoreFuncBodies: true}
	return config.Check(vocabularyPath, fset, files, nil)
})

var errImport = errors.New("only the vocabulary package can be imported")
