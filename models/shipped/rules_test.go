package shipped

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/golden"
)

// TestRules compares docs/rules.md, which says of each rule of docs/semantics.md where it is
// decided, used, broken on purpose and shown, with what cites it in fact. Each rule must be
// decided where a mutant breaks it, or say why it is not, and be broken somewhere.
func TestRules(t *testing.T) {
	index := newIndex(t)
	golden.File(t, "../../docs/rules.md", index.table())
	for _, rule := range index.rules {
		if len(index.code[rule])+len(index.refused[rule]) == 0 && notInCode[rule] == "" {
			t.Errorf("rule %s: no code cites it, and nothing says why", rule)
		}
		if len(index.code[rule]) > 0 && notInCode[rule] != "" {
			t.Errorf("rule %s is cited by %v, but listed as not in code", rule, index.code[rule])
		}
		if len(index.decided(rule)) == 0 && notInCode[rule] == "" {
			t.Errorf("rule %s: none of %v, which its mutants change, has a comment that cites the rule", rule, index.changed[rule])
		}
	}
	for _, rule := range index.rules {
		if len(index.mutants[rule]) == 0 {
			t.Errorf("rule %s: no mutant breaks it, so nothing shows that a test would notice", rule)
		}
	}
	for rule := range index.cited {
		if !slices.Contains(index.rules, rule) {
			t.Errorf("%s cites rule %s, which docs/semantics.md does not have", index.cited[rule], rule)
		}
	}
}

// index is where the rules are cited, by rule.
type index struct {
	t       *testing.T
	rules   []string
	code    map[string][]string // functions and types, with their package
	oracle  map[string][]string // those of the axiomatic oracle
	told    map[string][]string // those that explain violations
	changed map[string][]string // functions and types that mutants change
	mutants map[string][]string // lists of mutants
	models  map[string][]string
	refused map[string][]string // files of what is refused at load
	cited   map[string]string   // somewhere, each
}

func newIndex(t *testing.T) *index {
	x := &index{t: t, code: map[string][]string{}, oracle: map[string][]string{}, told: map[string][]string{}, changed: map[string][]string{}, mutants: map[string][]string{}, models: map[string][]string{}, refused: map[string][]string{}, cited: map[string]string{}}
	x.rules = rulesOf(read(t, "../../docs/semantics.md"))
	for _, dir := range []string{"memmodel", "state", "por", "explore", "store", "models/internal/lower", "models/load", "models/litmus", "models/cl", "models/clc", "models/clc/internal/code"} {
		x.folder(x.code, "../../"+dir)
	}
	x.folder(x.oracle, "../../internal/axiom")
	x.folder(x.told, "../../explore/trace")
	for list, file := range mutantsOf {
		x.broken(list, file)
	}
	for _, m := range All() {
		header, _, _ := strings.Cut(m.Source, "\npackage main")
		x.prose(x.models, header, m.Name)
	}
	golden, err := filepath.Glob("../load/testdata/refuse/*.txtar")
	if err != nil || len(golden) == 0 {
		t.Fatal("nothing is refused", err)
	}
	for _, file := range golden {
		x.prose(x.refused, read(t, file), strings.TrimSuffix(filepath.Base(file), ".txtar"))
	}
	return x
}

// mutantsOf are the files with what breaks rules on purpose.
var mutantsOf = map[string]string{"shipped": "mutants_test.go", "explore": "../../explore/mutants_test.go", "copies": "../../explore/copies_test.go", "ways out": "../../explore/mutants_wayout_test.go", "load": "../load/mutants_test.go", "clc": "../clc/mutants_test.go"}

// rulesOf returns the rules that the first part of docs/semantics.md lists, in order.
func rulesOf(text string) (rules []string) {
	_, text, _ = strings.Cut(text, "\n## 1. Rules\n")
	text, _, _ = strings.Cut(text, "\n## 2.")
	first := regexp.MustCompile(`(?m)(?:^- |; )(\d+\.\d+(?:, \d+\.\d+| to \d+\.\d+)*) `)
	for _, m := range first.FindAllStringSubmatch(text, -1) {
		rules = append(rules, expand(m[1])...)
	}
	slices.SortFunc(rules, compareRules)
	return slices.Compact(rules)
}

// expand lists the rules of "6.3 to 6.5, 6.7 and 6.8".
func expand(words string) (rules []string) {
	var from string
	for _, w := range regexp.MustCompile(`\d+\.\d+|to`).FindAllString(words, -1) {
		switch {
		case w == "to":
			from = rules[len(rules)-1]
			continue
		case from != "":
			part, lo := parts(from)
			_, hi := parts(w)
			for i := lo + 1; i < hi; i++ {
				rules = append(rules, fmt.Sprintf("%d.%d", part, i))
			}
			from = ""
		}
		rules = append(rules, w)
	}
	return rules
}

func parts(rule string) (part, number int) {
	a, b, _ := strings.Cut(rule, ".")
	part, _ = strconv.Atoi(a)
	number, _ = strconv.Atoi(b)
	return part, number
}

func compareRules(a, b string) int {
	pa, na := parts(a)
	pb, nb := parts(b)
	return cmp.Or(cmp.Compare(pa, pb), cmp.Compare(na, nb))
}

// cites finds rules in running text: "rule 6.8", "rules 7.2, 7.4 to 7.6 and 9.1".
var cites = regexp.MustCompile(`\b[Rr]ules? (\d+\.\d+(?:(?:, and |, | and | to | or |; )\d+\.\d+)*)`)

// brief finds them in brackets: "(2.3, 2.8)".
var brief = regexp.MustCompile(`\((\d+\.\d+(?:, \d+\.\d+)*)\)`)

func (x *index) prose(to map[string][]string, text, where string) {
	text = regexp.MustCompile(`\s*\n[ \t/]*`).ReplaceAllString(text, " ")
	for _, re := range []*regexp.Regexp{cites, brief} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			x.note(to, m[1], where)
		}
	}
}

func (x *index) note(to map[string][]string, words, where string) {
	for _, rule := range expand(words) {
		x.cited[rule] = where
		if !slices.Contains(to[rule], where) {
			to[rule] = append(to[rule], where)
		}
	}
}

// broken notes the mutants of a list: the list, and what each of them changes.
func (x *index) broken(list, file string) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		x.t.Fatal(err)
	}
	number := regexp.MustCompile(`^(\d+\.\d+(?:, \d+\.\d+| to \d+\.\d+)*) `)
	ast.Inspect(f, func(n ast.Node) bool {
		row, ok := n.(*ast.CompositeLit)
		if !ok || len(row.Elts) < 3 || words(row.Elts[0]) == "" {
			return true
		}
		if m := number.FindStringSubmatch(words(row.Elts[0])); m != nil {
			x.note(x.mutants, m[1], list)
			x.note(x.changed, m[1], x.around("../../"+words(row.Elts[1]), words(row.Elts[2])))
		}
		return false
	})
}

// words returns the value of a string, which may be put together of several.
func words(n ast.Expr) string {
	switch n := n.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(n.Value)
		return s
	case *ast.BinaryExpr:
		return words(n.X) + words(n.Y)
	}
	return ""
}

// around names what is declared around a text of a source file.
func (x *index) around(file, text string) string {
	source := read(x.t, file)
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, source, parser.ParseComments)
	at := strings.Index(source, text)
	if err != nil || at < 0 {
		x.t.Fatalf("%s: a mutant changes %q: %v", file, text, err)
	}
	at += len(text) - len(strings.TrimLeft(text, " \t\n}"))
	line := func(p token.Pos) int { return fset.Position(p).Line }
	for _, d := range f.Decls {
		if fset.Position(d.End()).Offset > at {
			pos := fset.File(f.Pos()).Pos(at)
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				pos = g.Specs[0].End() // what is said of the first is said of the list
			}
			return roomOf(file) + "." + nameOf(d, line(pos), line)
		}
	}
	x.t.Fatalf("%s: %q is in nothing that is declared", file, text)
	return ""
}

// decided returns what carries out a rule: it cites the rule, and a mutant of the rule changes it.
func (x *index) decided(rule string) (all []string) {
	for _, name := range x.changed[rule] {
		if slices.Contains(x.code[rule], name) {
			all = append(all, name)
		}
	}
	return all
}

// folder notes what the sources of a folder and those below cite, but for tests and what is internal.
func (x *index) folder(to map[string][]string, dir string) {
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != dir && (d.Name() == "testdata" || d.Name() == "internal"):
			return fs.SkipDir
		case strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go"):
			x.source(to, file)
		}
		return nil
	})
	if err != nil {
		x.t.Fatal(err)
	}
}

// source notes what the comments and strings of a file cite, by the declaration they are in.
func (x *index) source(to map[string][]string, file string) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
	if err != nil {
		x.t.Fatal(err)
	}
	room := roomOf(file)
	for _, d := range f.Decls {
		from := d.Pos()
		if doc := docOf(d); doc != nil {
			from = doc.Pos()
		}
		line := func(p token.Pos) int { return fset.Position(p).Line }
		for _, c := range f.Comments {
			if c.Pos() >= from && line(c.Pos()) <= line(d.End()) {
				x.prose(to, c.Text(), room+"."+nameOf(d, line(c.End()), line))
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				x.prose(to, lit.Value, room+"."+nameOf(d, line(lit.Pos()), line))
			}
			return true
		})
	}
}

// roomOf names the package of a source file.
func roomOf(file string) string { return path.Base(filepath.ToSlash(filepath.Dir(file))) }

func docOf(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}

// nameOf names what is declared at, or right below, a line, as documentation would.
func nameOf(d ast.Decl, at int, line func(token.Pos) int) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name
		}
		of := d.Recv.List[0].Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		return fmt.Sprintf("%v.%s", of, d.Name.Name)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if line(s.End()) < at {
				continue
			}
			switch s := s.(type) {
			case *ast.TypeSpec:
				return s.Name.Name
			case *ast.ValueSpec:
				return s.Names[0].Name
			}
		}
	}
	return "imports"
}

// notInCode says of rules that no code carries out where they are, instead.
var notInCode = map[string]string{
	"2.6": "nothing writes what the program does not write",
	"5.6": "follows: what happens before an event came before it",
	"8.9": "what OpenCL has not adopted",
}

const preface = `# Rules, and where they are

For each rule of [semantics.md](semantics.md):

- *Decided in*: functions and types whose comment cites the rule and of which a mutant of the rule changes a line,
  so that a test fails without that line. They need not be all that decide it: see *Also in*.
- *Also in*: other functions and types that cite the rule in a comment or a string.
- *Oracle*: where the axiomatic oracle, package ` + "`internal/axiom`" + `, carries it out a second time.
- *Explained in*: where package ` + "`explore/trace`" + ` uses it to explain a violation.
- *Mutants*: the lists with a mutant of the rule: of packages ` + "`models/shipped`, `models/load`, `models/clc` and `explore`" + `; *copies* and
  *ways out* are lists of ` + "`explore`" + `, too.
- *Models*: the shipped models whose header derives their verdict from it.
- *Refused*: what is refused at load because of it (` + "`models/load/testdata/refuse`" + `).

This page is made from the sources: ` + "`go test ./models/shipped -run TestRules -update`" + `.

| Rule | Decided in | Also in | Oracle | Explained in | Mutants | Models | Refused |
|---|---|---|---|---|---|---|---|
`

func (x *index) table() string {
	var b strings.Builder
	b.WriteString(preface)
	for _, rule := range x.rules {
		decided := x.decided(rule)
		also := slices.DeleteFunc(slices.Clone(x.code[rule]), func(name string) bool { return slices.Contains(decided, name) || strings.HasPrefix(name, "trace.") })
		cells := []string{quoted(decided), quoted(also), quoted(x.oracle[rule]), quoted(x.told[rule]), quoted(x.mutants[rule]), quoted(x.models[rule]), quoted(x.refused[rule])}
		if why := notInCode[rule]; why != "" {
			cells[0] = why
		}
		fmt.Fprintf(&b, "| %s | %s |\n", rule, strings.Join(cells, " | "))
	}
	return b.String()
}

func quoted(words []string) string {
	slices.Sort(words)
	var out []string
	for _, w := range words {
		out = append(out, "`"+w+"`")
	}
	return strings.Join(out, ", ")
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
