// Package check reads OpenCL C: it preprocesses and parses a kernel file with
// modernc.org/cc/v4, checks it by the rules of OpenCL C, and makes the typed tree of package
// tree, or says what is wrong, with a place, the line, a caret and what to write instead.
//
// Of cc it uses the preprocessor and the parser. Its checker knows C, and no vectors, address
// spaces, overloads or blocks; and the compiler of the host is never asked.
package check

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
)

// Options says what to check and how. The zero value of a field is its default.
type Options struct {
	// Path names the kernel file, for messages and as the place from which it includes files.
	Path string
	// Source is the text of the kernel file; nil: it is read from Path.
	Source []byte
	// Include are the folders of -I, in order. Files are included from the folder of Path, from
	// these, and from folders below; everything else is refused.
	Include []string
	// Defines are the macros of -D: "NAME", which is 1, or "NAME=VALUE".
	Defines []string
	// Std is that of -cl-std; the default is CL30 with all optional features.
	Std tree.Std
	// Annotations: those of GPUVerify are understood, or ignored with a warning.
	Annotations bool
	// Undefined: functions that are declared and not defined may be called, if they return nothing or numbers.
	Undefined bool
	// Read returns the content of a file that is allowed by the above; nil: it is read from the
	// disk. The names are those of Include and Path, with what an #include adds.
	Read func(name string) ([]byte, error)

	loud bool // a panic is one, with its stack, as tests want it
}

// The limits of what is read.
const (
	maxSource    = 16 << 20 // bytes of all files together
	maxParams    = 1024     // of a kernel: each of a byte, they are as many as every device takes
	maxIncludes  = 500      // files that are included, those twice twice
	maxExpansion = 1e8      // cc's ExpansionLimit: it counts a token again for each macro that hands it on
)

// Parse checks a kernel file. The unit is as package tree promises; warnings are about
// things that are allowed and likely wrong, by position.
//
// The error is a diag.Diagnostics, in the order of the text, unless the file cannot be
// read. There is no panic, whatever the input; what takes too much is refused.
func Parse(o Options) (u *tree.Unit, warnings diag.Diagnostics, err error) {
	if o.Std == 0 {
		o.Std = tree.CL30
	}
	if !o.Std.Known() {
		return nil, nil, fmt.Errorf("%d is not a version of OpenCL C; there are 100, 110, 120, 200 and 300", o.Std)
	}
	files := newFiles(o)
	source := o.Source
	if source == nil {
		if source, err = files.read(o.Path); err != nil {
			return nil, nil, err
		}
	}
	c := newChecker(o, files)
	defer func() {
		if e := recover(); e != nil {
			u, warnings = nil, nil
			c.report(c.at, "This is a fault of clmc: please report it with the file.", fmt.Sprintf("internal error: %v", e))
			err = c.err()
			if o.loud {
				panic(e)
			}
		}
	}()
	c.run(source)
	if err := c.err(); err != nil {
		return nil, nil, err
	}
	c.warnings.Sort()
	return c.unit, c.warnings, nil
}

// run does the work: it leaves a unit or errors.
func (c *checker) run(source []byte) {
	text, at, wrong := c.files.add(c.o.Path, string(source))
	if wrong != "" {
		c.report(at, "Split the program.", wrong)
		return
	}
	defines, ok := c.defines()
	if !ok {
		return
	}
	sources := func() []cc.Source {
		return []cc.Source{{Name: preludeName, Value: prelude(c.o.Std)}, {Name: defineName, Value: defines}, {Name: c.o.Path, Value: text}}
	}
	if !c.guard(sources) || !c.complete(sources, text) {
		return
	}
	var ast *cc.AST
	err := c.contained(func() (err error) {
		ast, err = cc.Parse(c.config(maxExpansion), append(sources(), cc.Source{Name: trailerName, Value: trailer}))
		return err
	})
	if err != nil && !(ast != nil && onlyLabels(err)) { // labels are looked up here, with the rest
		c.parseErrors(err)
		return
	}
	c.macros = ast.Macros
	c.tellPragmas()
	c.translationUnit(ast.TranslationUnit)
	if len(c.found) == 0 {
		c.finish()
	}
	if n := c.files.ignored; n > 0 {
		c.warnf(c.files.firstIgnored, "", "%d annotations are ignored: invariants, contracts, and relations between two work-items", n)
	}
}

// onlyLabels reports whether all that cc says is that labels are missing.
func onlyLabels(err error) bool {
	for line := range strings.Lines(err.Error()) {
		if !strings.Contains(line, ": label undefined: ") {
			return false
		}
	}
	return true
}

// contained calls the parser, which gives up with a panic on some programs that are no C.
func (c *checker) contained(f func() error) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case tooMany:
			err = errors.New(string(e))
		default:
			err = errGaveUp
		}
	}()
	return f()
}

// errGaveUp says that the parser panicked.
var errGaveUp = errors.New("clmc cannot parse the file")

// The names that the parser knows our own texts by.
const (
	preludeName = "<OpenCL C>"
	defineName  = "<-D>"
	trailerName = "<end>"
)

// trailer is parsed after every program. cc's parser looks for the tokens at which it can go on after an error, and
// does not see that the file ends; so it finds them all here, some times over.
var trailer = func() string {
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, "\n;int __clc_end%d(int a, int b[1]) { switch (a) { case 1: a = b[0] ? 1 : (2); } static int c = { 1, }; return a; }\n;\n", i)
	}
	return b.String()
}()

// config returns what cc is asked with, and a limit of the work that macros may make.
func (c *checker) config(limit int) *cc.Config {
	abi, err := cc.NewABI("linux", "amd64")
	if err != nil {
		panic(err)
	}
	include := []string{"@"}
	include = append(include, c.o.Include...)
	return &cc.Config{ABI: abi, PragmaHandler: c.pragmas(), FS: c.files, FSOnly: true, ExpansionLimit: limit, IncludePaths: include, SysIncludePaths: append([]string{filepath.Dir(c.o.Path)}, c.o.Include...),
		HasBuiltin: func(name string) bool { return name == "__builtin_expect" || name == "__builtin_assume" }}
}

// pragmas returns what obeys #pragma once, and counts the files that are included by the pragma that
// each of them begins with: cc asks for a file but once, and does not see that it includes itself. Others
// are looked up in Pragmas.
func (c *checker) pragmas() func([]cc.Token) error {
	seen, included := map[string]bool{}, 0
	c.oddPragmas = nil
	return func(list []cc.Token) error {
		for _, t := range list {
			switch t.SrcStr() {
			case " ", "":
				continue
			case "clc_file":
				if included++; included > maxIncludes {
					panic(tooMany(fmt.Sprintf("more than %d files are included; does %s include itself?", maxIncludes, t.Position().Filename)))
				}
			case "once":
				name := t.Position().Filename
				if seen[name] {
					return cc.SkipSource
				}
				seen[name] = true
			default:
				c.pragma(list)
			}
			return nil
		}
		return nil
	}
}

// tooMany is what the parser is left with.
type tooMany string

// defines returns the text that defines the macros of -D.
func (c *checker) defines() (string, bool) {
	var b strings.Builder
	if c.o.Annotations {
		b.WriteString(annotationMacros)
	}
	for _, d := range c.o.Defines {
		name, value, given := strings.Cut(d, "=")
		if !given {
			value = "1"
		}
		if head, _, _ := strings.Cut(name, "("); !isName(head) || strings.ContainsAny(d, "\n\r") || strings.HasSuffix(d, `\`) {
			c.report(tree.Pos{}, "Write -D NAME or -D NAME=VALUE.", fmt.Sprintf("-D %s does not name a macro", d))
			return "", false
		}
		fmt.Fprintf(&b, "#define %s %s\n", name, value)
	}
	return b.String(), true
}

func isName(s string) bool {
	for i := range len(s) {
		if !isWord(s[i]) || i == 0 && s[i] >= '0' && s[i] <= '9' {
			return false
		}
	}
	return s != ""
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// parseErrors reports the errors of cc: each line is a place and a message.
func (c *checker) parseErrors(err error) {
	if errors.Is(err, errGaveUp) {
		c.unparsed()
		return
	}
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, trailerName) {
			continue
		}
		pos, message := c.splitPlace(line)
		if rest, ok := strings.CutPrefix(message, "-: "); ok { // cc's place for the end of a condition
			pos, message = c.unfinished(), rest
		}
		if strings.Contains(message, "internal error") { // what cc says of its own state after an error
			continue
		}
		hint, lacks := parseHint(message), ""
		if hint == "" && strings.HasPrefix(message, "unexpected ") {
			hint, lacks = c.unknownType(pos)
		}
		c.report(pos, hint, c.plain(message))
		if hostType.MatchString(lacks) {
			c.lacks(pos, lacks, true)
		}
	}
	if at := c.unfinished(); len(c.found) == 0 && at.Line > 0 {
		c.report(at, "Complete the comparison.", "this condition is not complete")
	} else if len(c.found) == 0 {
		c.report(c.endOfFile(), "A bracket is open, or a semicolon missing.", "the file ends too early")
	}
}

// endOfFile is the place where the kernel file ends.
func (c *checker) endOfFile() tree.Pos {
	lines := c.files.lines[0]
	at := len(lines)
	for at > 1 && strings.TrimSpace(lines[at-1]) == "" {
		at--
	}
	return tree.Pos{Line: int32(at), Col: int32(len(lines[at-1]) + 1)}
}

// splitPlace takes the place from the front of a message of cc.
func (c *checker) splitPlace(s string) (tree.Pos, string) {
	for i, f := range c.files.unit {
		rest, ok := strings.CutPrefix(s, f.Name+":")
		if !ok {
			continue
		}
		var line, col int
		if n, _ := fmt.Sscanf(rest, "%d:%d:", &line, &col); n == 2 {
			_, rest, _ = strings.Cut(rest, ":")
			_, rest, _ = strings.Cut(rest, ":")
			return tree.Pos{File: int32(i), Line: int32(line), Col: int32(col)}, strings.TrimSpace(rest)
		}
		return tree.Pos{File: int32(i)}, strings.TrimSpace(rest)
	}
	return tree.Pos{}, s
}

// plain says a message of cc in our words.
func (c *checker) plain(message string) string {
	switch {
	case strings.Contains(message, "macro expansion limit"):
		return "the macros expand to too much"
	case strings.HasPrefix(message, "include file not found: "):
		name := strings.TrimPrefix(message, "include file not found: ")
		for _, full := range slices.Sorted(maps.Keys(c.files.refused)) {
			if strings.HasSuffix(full, filepath.Base(strings.Trim(name, `"<>`))) {
				return fmt.Sprintf("cannot include %s: %v", name, c.files.refused[full])
			}
		}
		return "cannot include " + name
	}
	return message
}

func parseHint(message string) string {
	switch {
	case strings.Contains(message, "macro expansion limit"):
		return fmt.Sprintf("At most %d million tokens are expanded in a file, and %d thousand in its conditions; a token counts again for each macro that hands it on.", int(maxExpansion/1e6), maxWork/1000)
	case strings.HasPrefix(message, "include file not found"):
		return "clmc looks for files only in the folder of the kernel file and in the folders of -I."
	case strings.Contains(message, "asm"):
		return "clmc cannot interpret inline assembly."
	}
	return ""
}

// pos returns the place of a node.
func (c *checker) pos(n cc.Node) tree.Pos {
	p := n.Position()
	i, ok := c.files.index[p.Filename]
	if !ok {
		return tree.Pos{}
	}
	return c.files.original(tree.Pos{File: i, Line: int32(p.Line), Col: int32(p.Column)})
}

var errOutside = errors.New("outside the folder of the kernel file and those of -I")
