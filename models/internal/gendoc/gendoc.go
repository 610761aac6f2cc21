// Package gendoc writes the reference of the modelling language's vocabulary
// (package cl) as it stands in docs/language.md, from the declarations and
// their comments.
package gendoc

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"strings"

	"github.com/clmc/clmc/models/cl"
)

// sections lists the files of package cl in the order of the reference.
var sections = []struct{ file, title string }{
	{"workitem.go", "Work-item functions"},
	{"memory.go", "Memory"},
	{"types.go", "Atomic types"},
	{"order.go", "Orders, scopes and flags"},
	{"atomic.go", "Atomic functions"},
	{"barrier.go", "Fences and barriers"},
	{"collective.go", "Collective functions"},
	{"async.go", "Asynchronous copies"},
	{"image.go", "Images"},
	{"pipe.go", "Pipes"},
	{"host.go", "Host"},
	{"command.go", "Commands, queues and events"},
	{"rect.go", "Commands on regions and images"},
	{"enqueue.go", "Device-side enqueue"},
	{"property.go", "Inputs and properties"},
	{"legacy.go", "Atomic functions of OpenCL 1.x"},
}

// Entry is one exported name of the vocabulary.
type Entry struct {
	Name    string
	OpenCL  string // its name in OpenCL, if it has one
	Decl    string // of a function: its declaration
	Doc     string // one paragraph
	Example string // lines of code that the comment ends with
}

// Entries returns the exported names that a file of package cl declares.
func Entries(file string) ([]Entry, error) {
	fset := token.NewFileSet()
	text, err := fs.ReadFile(cl.SourceFiles, file)
	if err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(fset, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil || !d.Name.IsExported() {
				continue
			}
			e := entry(d.Name, d.Doc)
			d.Body, d.Doc = nil, nil
			var b bytes.Buffer
			if err := format.Node(&b, fset, d); err != nil {
				return nil, err
			}
			e.Decl = b.String()
			all = append(all, e)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				all = append(all, declared(s, d.Doc)...)
			}
		}
	}
	return all, nil
}

// declared returns the entries of a type or constant declaration.
func declared(s ast.Spec, doc *ast.CommentGroup) (all []Entry) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Doc != nil {
			doc = s.Doc
		}
		if s.Name.IsExported() {
			all = append(all, entry(s.Name, doc))
		}
	case *ast.ValueSpec:
		for _, id := range s.Names {
			if id.IsExported() {
				all = append(all, entry(id, s.Doc))
			}
		}
	}
	return all
}

var (
	openCL = regexp.MustCompile(`^\w+ is (?:an? |OpenCL C 3\.0's |OpenCL C's |OpenCL 1\.x's )?(\w+)`)
	link   = regexp.MustCompile(`\[(\w+)\]`)
	hyphen = regexp.MustCompile(`(\w)- (\w)`) // a word broken at the end of a line
)

func entry(id *ast.Ident, doc *ast.CommentGroup) Entry {
	e := Entry{Name: id.Name}
	paragraphs := strings.Split(strings.TrimSpace(doc.Text()), "\n\n")
	for _, p := range paragraphs {
		if strings.HasPrefix(p, "\t") {
			e.Example = strings.ReplaceAll(strings.TrimRight(strings.TrimPrefix(p, "\t"), "\n"), "\n\t", "\n")
			continue
		}
		e.Doc += " " + strings.Join(strings.Fields(p), " ")
	}
	e.Doc = hyphen.ReplaceAllString(strings.TrimSpace(e.Doc), "$1-$2")
	if m := openCL.FindStringSubmatch(e.Doc); m != nil {
		if w := m[1]; strings.Contains(w, "_") || strings.HasPrefix(w, "cl") || w == "barrier" || w == "prefetch" {
			e.OpenCL = w
		}
	}
	e.Doc = link.ReplaceAllString(strings.ReplaceAll(e.Doc, "|", `\|`), "`$1`")
	return e
}

// Reference returns the reference in Markdown.
func Reference() (string, error) {
	var b strings.Builder
	for _, s := range sections {
		entries, err := Entries(s.file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "### %s\n\n", s.title)
		table := false
		for _, e := range entries {
			if e.Decl != "" {
				continue
			}
			if !table {
				b.WriteString("| Name | OpenCL | Meaning |\n|---|---|---|\n")
				table = true
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.Name, code(e.OpenCL), e.Doc)
		}
		if table {
			b.WriteString("\n")
		}
		for _, e := range entries {
			if e.Decl == "" {
				continue
			}
			title := code(e.Name)
			if e.OpenCL != "" {
				title += ": " + code(e.OpenCL)
			}
			fmt.Fprintf(&b, "#### %s\n\n```go\n%s\n```\n\n%s\n\n", title, e.Decl, e.Doc)
			if e.Example != "" {
				fmt.Fprintf(&b, "```go\n%s\n```\n\n", e.Example)
			}
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
