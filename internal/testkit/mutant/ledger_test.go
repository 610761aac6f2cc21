package mutant

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/golden"
)

var complete = flag.Bool("complete", false, "fail for mutants that are not in the ledger as they are")

// oldest is the age of a line, in days, from which on it is told that nobody has seen the mutant caught for long.
const oldest = 14

// The ledger has lines of mutants that there are. With -complete, as make check has it, a mutant that has none, as it is, is a failure: nobody
// has seen it caught. Only those that open.txt names, which were there before there was a ledger, are told and no failure until make nightly has come to them.
// That a line is old is told and is no failure, for it says nothing of the revision at hand; make nightly is what renews it. With -update the
// ledger is brought into order, and what it has now is taken out of open.txt.
func TestLedger(t *testing.T) {
	root, err := root()
	if err != nil {
		t.Fatal(err)
	}
	lists, err := allRows(root)
	if err != nil {
		t.Fatal(err)
	}
	book, err := readEntries(ledgerPath(root))
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	open, err := readOpen(root)
	if err != nil {
		t.Fatal(err)
	}
	var lacking, old []string
	waiting := map[[2]string]string{}
	rows := map[[2]string]bool{}
	for pkg, list := range lists {
		for _, m := range list {
			all++
			key := [2]string{pkg, m.Rule}
			rows[key] = true
			switch e, ok := book[key]; {
			case (!ok || e.row != m.row()) && open[key] == m.row():
				waiting[key] = m.row()
			case !ok:
				lacking = append(lacking, pkg+": "+m.Rule+": not in the ledger")
			case e.row != m.row():
				lacking = append(lacking, pkg+": "+m.Rule+": in the ledger as it was before it was changed")
			case e.date < time.Now().UTC().AddDate(0, 0, -oldest).Format(time.DateOnly):
				old = append(old, pkg+": "+m.Rule+": last caught on "+e.date)
			}
		}
	}
	if all < 900 {
		t.Errorf("%d mutants are found, want over 900", all)
	}
	gone := 0
	for key := range book {
		if !rows[key] {
			gone++
			if !golden.Update() {
				t.Errorf("%s: %s: in the ledger, and in no list: go test ./internal/testkit/mutant -run TestLedger -update", key[0], key[1])
			}
			delete(book, key)
		}
	}
	if golden.Update() {
		if err := errors.Join(os.WriteFile(ledgerPath(root), []byte(ordered(book)), 0o644), writeOpen(root, waiting)); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(lacking)
	slices.Sort(old)
	if *complete && len(lacking) > 0 {
		t.Errorf("of %d mutants nobody has seen these %d caught; go test ./PACKAGE -run 'Mutants' -mutants commit -ledger tries them:\n%s", all, len(lacking), some(lacking))
	}
	t.Logf("%d mutants, %d in the ledger as they are, %d of these more than %d days ago:\n%s", all, all-len(lacking)-len(waiting), len(old), oldest, some(old))
	if len(waiting) > 0 {
		t.Logf("nobody has seen %d caught that open.txt names; make nightly comes to them", len(waiting))
	}
}

// writeOpen writes the file, or removes it if none is left.
func writeOpen(root string, open map[[2]string]string) error {
	var lines []string
	for key, row := range open {
		lines = append(lines, key[0]+"\t"+key[1]+"\t"+row+"\n")
	}
	if len(lines) == 0 {
		if err := os.Remove(openPath(root)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	slices.Sort(lines)
	return os.WriteFile(openPath(root), []byte(strings.Join(lines, "")), 0o644)
}

// The file of open mutants names what it was told, and is gone when none is left.
func TestOpen(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Dir(openPath(root)), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, want := range []map[[2]string]string{{{"explore", "b"}: "1", {"explore", "a"}: "2"}, {{"memmodel", "a"}: "3"}, nil, nil} {
		if err := writeOpen(root, want); err != nil {
			t.Fatal(err)
		}
		if got, err := readOpen(root); err != nil || !maps.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
	a := Mutant{Rule: "a", New: "x"}
	b, changed := Mutant{Rule: "b", New: "x"}, Mutant{Rule: "a", New: "y"}
	for _, list := range [][]Mutant{{a, b}, {b, changed}} {
		left := notOpen(list, map[[2]string]string{{"explore", "a"}: a.row(), {"memmodel", "b"}: b.row()}, "explore")
		if slices.Contains(left, a) || !slices.Contains(left, b) || slices.Contains(left, changed) != slices.Contains(list, changed) {
			t.Errorf("of %v %v are left", list, left)
		}
	}
	if err := os.WriteFile(openPath(root), []byte("explore\ta rule\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readOpen(root); err == nil {
		t.Error("a line without a row is one")
	}
}

// some are lines, and how many more there are than a reader wants.
func some(lines []string) string {
	const most = 30
	if len(lines) > most {
		lines = append(slices.Clone(lines[:most]), fmt.Sprintf("and %d more", len(lines)-most))
	}
	return strings.Join(lines, "\n")
}

// allRows reads the lists of mutants from the sources of tests, by the folders of their packages.
func allRows(root string) (map[string][]Mutant, error) {
	lists := map[string][]Mutant{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != root):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(text), "mutant.List(") {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		list, err := rowsOf(name, text)
		dir := filepath.ToSlash(rel)
		lists[dir] = append(lists[dir], list...)
		return err
	})
	return lists, err
}

// rowsOf reads the rows of one file, whose fields are string literals and constants of the file.
func rowsOf(path string, text []byte) (list []Mutant, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	consts := map[string]ast.Expr{}
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == len(v.Values) {
			for i, id := range v.Names {
				consts[id.Name] = v.Values[i]
			}
		}
		return true
	})
	var value func(e ast.Expr) string
	value = func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.BasicLit:
			s, wrong := strconv.Unquote(e.Value)
			if wrong == nil {
				return s
			}
		case *ast.Ident:
			if of := consts[e.Name]; of != nil {
				return value(of)
			}
		case *ast.BinaryExpr:
			return value(e.X) + value(e.Y)
		}
		err = fmt.Errorf("%s: neither a literal nor a constant of the file", fset.Position(e.Pos()))
		return ""
	}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "List" || len(call.Args) != 1 {
			return true
		}
		rows, ok := call.Args[0].(*ast.CompositeLit)
		if !ok {
			return true
		}
		for _, r := range rows.Elts {
			row, ok := r.(*ast.CompositeLit)
			if !ok || len(row.Elts) < 4 {
				err = fmt.Errorf("%s: no row", fset.Position(r.Pos()))
				return false
			}
			list = append(list, Mutant{Rule: value(row.Elts[0]), File: value(row.Elts[1]), Old: value(row.Elts[2]), New: value(row.Elts[3])})
		}
		return false
	})
	return list, err
}

// A line is read as it was written, the last line of a mutant counts, and the order does not depend on that of writing.
func TestLedgerLines(t *testing.T) {
	a := entry{"explore", "b rule", "00c0ffee", "2026-11-28", "2b43351aaa", "TestOracle/mp", 1500 * time.Millisecond}
	b, c := a, a
	b.rule, c.date = "a rule", "2026-11-29"
	path := filepath.Join(t.TempDir(), "ledger.txt")
	if all, err := readEntries(path); err != nil || len(all) != 0 {
		t.Errorf("%v, %v of a ledger that is not there", all, err)
	}
	if err := os.WriteFile(path, []byte(a.String()+b.String()+c.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := readEntries(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := ordered(all), b.String()+c.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for _, line := range []string{"", "explore\trule", strings.Replace(a.String(), "2026-11-28", "today", 1), strings.Replace(a.String(), "1.5", "x", 1)} {
		if _, err := parseEntry(strings.TrimSuffix(line, "\n")); err == nil {
			t.Errorf("%q is a line", line)
		}
	}
}

// A run that is taken up again leaves out what it has caught, and nothing else: not what was caught before, nor what stands there otherwise now.
func TestSince(t *testing.T) {
	was := *notAgain
	defer func() { *notAgain = was }()
	m, other := Mutant{Rule: "r", File: "f.go", Old: "a", New: "b"}, Mutant{Rule: "s", File: "f.go", Old: "a", New: "b"}
	r := &recorder{book: ledger{"r": {row: m.row(), date: "2026-11-28"}}}
	day := time.Date(2026, 11, 28, 23, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
	changed := m
	changed.New = "c"
	for _, c := range []struct {
		since int64
		m     Mutant
		want  bool
	}{{0, m, false}, {day - 1, m, true}, {day, m, true}, {day + 1, m, false}, {day, changed, false}, {day, other, false}} {
		if *notAgain = c.since; r.since(c.m) != c.want {
			t.Errorf("since %d, %s by %s: %v, want %v", c.since, c.m.Rule, c.m.New, !c.want, c.want)
		}
	}
}

// A row that is changed is another one, whose line says nothing of it.
func TestRow(t *testing.T) {
	m := Mutant{Rule: "r", File: "f.go", Old: "a", New: "b"}
	seen := map[string]bool{m.row(): true}
	for _, n := range []Mutant{{Rule: "r", File: "g.go", Old: "a", New: "b"}, {Rule: "r", File: "f.go", Old: "c", New: "b"}, {Rule: "r", File: "f.go", Old: "a", New: "c"}} {
		if seen[n.row()] {
			t.Errorf("%+v is a row that was there", n)
		}
		seen[n.row()] = true
	}
}
