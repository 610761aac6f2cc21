package check_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/golden"
)

const module = "github.com/clmc/clmc"

// before is the number of packages beyond the standard library that a program linked which
// explored a model, when the database and the formats of lists of checks could not be left out.
const before = 113

// TestDependencies counts what a test links that imports this package: of packages beyond the
// standard library at most a third of what it was, beside those that read OpenCL C, and of other
// modules only what loading a model and hashing a state need. docs/go-api.md states the numbers.
func TestDependencies(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(out))
	if len(all) < 10 || !slices.Contains(all, module+"/models/check") {
		t.Fatalf("go list has printed %q", all)
	}
	foreign, kernels := 0, 0
	for _, path := range all {
		if slices.ContainsFunc([]string{module + "/models/clc", "modernc.org/", "github.com/remyoudompheng/bigfft"}, func(p string) bool { return strings.HasPrefix(path, p) }) {
			kernels++
			continue
		}
		if strings.HasPrefix(path, module) {
			continue
		}
		foreign++
		if !slices.ContainsFunc([]string{"golang.org/x/tools/", "github.com/zeebo/xxh3", "github.com/klauspost/cpuid/"}, func(p string) bool { return strings.HasPrefix(path, p) }) {
			t.Errorf("%s is linked", path)
		}
	}
	golden.Part(t, "../../docs/go-api.md", "<!-- Counted: go test ./models/check -run TestDependencies -update -->\n", "<!-- End. -->\n", fmt.Sprintf(
		"A test that imports `models/check` links %d packages beyond the standard library: %d of clmc's\nown, %d of other modules, and %d more, of clmc and of a parser of C, that read OpenCL C.\n",
		len(all), len(all)-foreign-kernels, foreign, kernels))
	if n := len(all) - kernels; n > before/3 || foreign > 11 || kernels > 12 {
		t.Errorf("%d packages beyond the standard library, want at most %d; %d of other modules, want at most 11; %d for OpenCL C, want at most 12:\n%s", n, before/3, foreign, kernels, out)
	}
}

// TestStability checks that every package that others can import says at its door whether they
// can rely on it.
func TestStability(t *testing.T) {
	const unstable = "not of its Go API"
	stable := []string{"models/check", "models/check/anydata", "models/cl"}
	seen := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		name := e.Name()
		if path != root && (name == "internal" || name == "testdata" || name == "cmd" || strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		doc, command := packageDoc(t, path)
		rel, err := filepath.Rel(root, path)
		if err != nil || doc == "" && !command || command {
			return err
		}
		seen++
		rel = filepath.ToSlash(rel)
		says := strings.Contains(strings.Join(strings.Fields(doc), " "), unstable)
		if is := slices.Contains(stable, rel); is == says {
			t.Errorf("%s: stable: %v, and its documentation says %q: %v", rel, is, unstable, says)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 15 {
		t.Errorf("only %d packages were seen", seen)
	}
}

// packageDoc returns the documentation of the package in a folder, and whether it is a command.
// A package without any counts as documented by a blank.
func packageDoc(t *testing.T, dir string) (doc string, command bool) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		doc += comment(f.Doc) + " "
		command = command || f.Name.Name == "main"
	}
	return doc, command
}

func comment(c *ast.CommentGroup) string {
	if c == nil {
		return ""
	}
	return c.Text()
}
