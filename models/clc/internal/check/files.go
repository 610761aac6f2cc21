package check

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/clc/internal/tree"
)

// files is the file system that the preprocessor sees: the folder of the kernel file and those of
// -I, each file rewritten for the parser. It keeps what was read.
type files struct {
	roots        []string
	get          func(name string) ([]byte, error)
	unit         []tree.File
	lines        [][]string
	edits        [][]edit
	index        map[string]int32
	ready        []string // the rewritten texts
	total        int
	annotated    bool             // see Options.Annotations
	ignored      int              // annotations
	firstIgnored tree.Pos         // the place of the first
	refused      map[string]error // why an allowed name was not read, by name
	bare         bool             // the preprocessor is to see directives only
	unclear      bool             // not all that conditions depend on is in them
}

func newFiles(o Options) *files {
	f := &files{get: o.Read, annotated: o.Annotations, index: map[string]int32{}, refused: map[string]error{}}
	for _, dir := range append([]string{filepath.Dir(o.Path)}, o.Include...) {
		f.roots = append(f.roots, filepath.Clean(dir))
	}
	if f.get == nil {
		f.get = f.disk
	}
	return f
}

// disk reads a file, and follows no link that leads out of where it may be.
func (f *files) disk(name string) ([]byte, error) {
	if real, err := filepath.EvalSymlinks(name); err != nil {
		return nil, err
	} else if !f.allowedReal(real) {
		return nil, errOutside
	}
	return regular.Read(name, maxSource+1)
}

// read reads the kernel file itself, which may be anywhere.
func (f *files) read(name string) ([]byte, error) {
	if get := f.get; get != nil {
		return get(name)
	}
	return regular.Read(name, maxSource+1)
}

// allowed reports whether a cleaned name is in one of the folders.
func (f *files) allowed(name string) bool {
	for _, root := range f.roots {
		if inside(root, name) {
			return true
		}
	}
	return false
}

// allowedReal is allowed for a name without links.
func (f *files) allowedReal(name string) bool {
	for _, root := range f.roots {
		if real, err := filepath.EvalSymlinks(root); err == nil && inside(real, name) {
			return true
		}
	}
	return false
}

func inside(root, name string) bool {
	rel, err := filepath.Rel(root, name)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) && !filepath.IsAbs(rel)
}

// spaced is a backslash that continues a line though blanks follow it, as for clang.
var spaced = regexp.MustCompile(`(\\)([ \t\v\f]+)(\r?\n)`)

// lineDirective matches what says that the text comes from elsewhere.
var lineDirective = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(?:line\b[^\n]*|\d+[ \t]*(?:"[^\n]*)?)$`)

// unlined blanks #line and what preprocessors leave of it: places are those in the file that is there, and whose declarations are looked at.
func unlined(text string) string {
	list := lineDirective.FindAllStringIndex(text, -1)
	if list == nil {
		return text
	}
	code, out := strip(text), []byte(text)
	for _, at := range list {
		if i := strings.IndexByte(text[at[0]:at[1]], '#'); code[at[0]+i] == '#' { // not in a comment
			blank(out, at[0], at[1])
		}
	}
	return string(out)
}

// byteOrderMark may begin a text in UTF-8, and says nothing.
const byteOrderMark = "\ufeff"

// add keeps the text of a file and returns it as the parser is to see it; or what is wrong with it, and where.
func (f *files) add(name, text string) (ready string, at tree.Pos, wrong string) {
	if f.total += len(text); f.total > maxSource {
		return "", at, fmt.Sprintf("more than %d bytes", maxSource)
	}
	if i, ok := f.index[name]; ok {
		return f.ready[i], at, ""
	}
	var edits []edit
	joined := text
	if strings.HasPrefix(text, byteOrderMark) { // what follows keeps its place
		joined = strings.Repeat(" ", len(byteOrderMark)) + text[len(byteOrderMark):]
	}
	if strings.Contains(joined, "#") {
		joined = unlined(joined)
	}
	joined = spaced.ReplaceAllString(joined, "$2\\$3")
	if at, wrong = lexical(joined); wrong == "" {
		ready = joined
		if f.annotated {
			f.annotations(&ready)
		}
		ready, edits = rewrite(ready)
	}
	if strings.HasSuffix(strings.TrimRight(text, " \t\v\f\r\n"), `\`) {
		ready += "\n\n" // of a line that the end of the file continues cc loses the text, or does not come to an end
	}
	ready = "#pragma clc_file\n#line 1\n" + ready // see pragmas
	f.index[name] = int32(len(f.unit))
	f.unit = append(f.unit, tree.File{Name: name, Text: text})
	f.lines = append(f.lines, strings.Split(text, "\n"))
	f.edits = append(f.edits, edits)
	f.ready = append(f.ready, ready)
	return ready, at, wrong
}

// annotations replaces the annotations of a file that are ignored, and counts them.
func (f *files) annotations(text *string) {
	ready, at, n := annotations(*text)
	*text = ready
	if f.ignored == 0 && n > 0 {
		at.File = int32(len(f.unit))
		f.firstIgnored = at
	}
	f.ignored += n
}

// known returns the text of a file that has been read.
func (f *files) known(name string) (string, bool) {
	i, ok := f.index[name]
	if !ok {
		return "", false
	}
	return f.unit[i].Text, true
}

// original returns the place in the text as it was written.
func (f *files) original(p tree.Pos) tree.Pos {
	for _, e := range f.edits[p.File] {
		if e.line == p.Line && p.Col >= e.col {
			p.Col = max(p.Col-e.longer, e.col)
		}
	}
	return p
}

// Open opens a file for the preprocessor.
func (f *files) Open(name string) (fs.File, error) {
	name = filepath.Clean(filepath.FromSlash(name))
	if !f.allowed(name) {
		f.refused[name] = errOutside
		return nil, fmt.Errorf("%s is %w", name, errOutside)
	}
	text, ok := f.known(name)
	if !ok {
		b, err := f.get(name)
		if err != nil {
			return nil, err
		}
		text = string(b)
	}
	text, at, wrong := f.add(name, text)
	if wrong != "" {
		f.refused[name] = errors.New(wrong)
		if at.Line > 0 {
			f.refused[name] = fmt.Errorf("%s, in line %d", wrong, at.Line)
		}
		return nil, f.refused[name]
	}
	if f.bare {
		text = f.directives(text)
	}
	return &file{Reader: strings.NewReader(text), size: len(text)}, nil
}

// file is a text as an open file.
type file struct {
	io.Reader
	size int
}

func (f *file) Stat() (fs.FileInfo, error) { return info(f.size), nil }
func (f *file) Close() error               { return nil }

type info int64

func (i info) Name() string       { return "" }
func (i info) Size() int64        { return int64(i) }
func (i info) Mode() fs.FileMode  { return 0o444 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return nil }
