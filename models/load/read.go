package load

import (
	"bytes"
	"errors"
	"fmt"
	"go/build/constraint"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clmc/clmc/internal/regular"
)

// maxSource bounds the size of a source file, in bytes.
const maxSource = 1 << 20

// maxFiles bounds the number of files in a model's folder.
const maxFiles = 256

// source is the text of one file.
type source struct {
	name string
	text []byte
}

// read reads a model's file, or the Go files of its folder.
func read(path string) ([]source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if !info.IsDir() {
		s, err := readFile(path)
		if err != nil {
			return nil, unreadable(path, err)
		}
		return []source{s}, nil
	}
	names, err := goFiles(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	var sources []source
	for _, name := range names {
		s, err := readFile(name)
		if err != nil {
			return nil, unreadable(name, err)
		}
		sources = append(sources, s)
	}
	return together(sources), nil
}

// together leaves out the files that are programs of their own (//go:build ignore), unless
// there is nothing else.
func together(sources []source) []source {
	rest := slices.DeleteFunc(slices.Clone(sources), func(s source) bool { return !Builds(s.text) })
	if len(rest) == 0 {
		return sources
	}
	return rest
}

// Builds reports whether no build constraint leaves a file out of each build.
func Builds(text []byte) bool {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			break
		}
		if x, err := constraint.Parse(line); err == nil && !x.Eval(func(tag string) bool { return tag != "ignore" }) {
			return false
		}
	}
	return true
}

// goFiles lists the Go files of a folder, tests left out.
func goFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !e.IsDir() {
			names = append(names, filepath.Join(dir, name))
		}
	}
	if len(names) == 0 {
		return nil, errors.New("the folder holds no .go file")
	}
	if len(names) > maxFiles {
		return nil, fmt.Errorf("the folder holds more than %d .go files", maxFiles)
	}
	return names, nil
}

// readFile reads one file, but no more than shows that it is too large.
func readFile(name string) (source, error) {
	text, err := regular.Read(name, maxSource+1)
	return source{name: name, text: text}, err
}

// unreadable turns an error of the file system into a diagnostic.
func unreadable(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return Diagnostics{{Pos: token.Position{Filename: path}, Message: "cannot read the model: " + err.Error(),
		Hint: "name a .go file, or the folder of one model"}}
}

// checkText reports text that cannot be Go.
func (m *model) checkText(s *source) bool {
	at := token.Position{Filename: s.name}
	switch {
	case len(s.text) > maxSource:
		m.report(at, "leave out what does not concern concurrency: a model is a small program",
			fmt.Sprintf("the file is larger than %d MiB", maxSource>>20))
	case len(bytes.TrimSpace(s.text)) == 0:
		m.report(at, "a model starts with: package main", "the file is empty")
	case bytes.IndexByte(s.text, 0) >= 0 || !utf8.Valid(s.text):
		m.report(at, "a model is a Go source file", "the file is not text in UTF-8")
	default:
		return true
	}
	return false
}
