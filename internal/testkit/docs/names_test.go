package docs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages returns the pages of docs, by their path there, and those at the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"/docs/*.md", "/docs/*/*.md", "/README.md"} {
		files, err := filepath.Glob(root + pattern)
		if err != nil || len(files) == 0 {
			t.Fatal("no pages", err)
		}
		for _, f := range files {
			all[strings.TrimPrefix(strings.TrimPrefix(filepath.ToSlash(f), root+"/"), "docs/")] = page(t, f)
		}
	}
	return all
}

// code finds what a page shows as code within a line.
var code = regexp.MustCompile("`([^`\n]+)`")

// TestFiles checks that the files and folders of the sources that pages name are there.
func TestFiles(t *testing.T) {
	list, _ := sources(t)
	top := map[string]bool{}
	for _, s := range list {
		first, _, _ := strings.Cut(s.path, "/")
		top[first] = true
	}
	tree := os.DirFS(root)
	known, seen := names(list), 0
	for name, text := range pages(t) {
		for _, m := range code.FindAllStringSubmatch(text, -1) {
			first, _, deeper := strings.Cut(m[1], "/")
			if !deeper || !top[first] || strings.ContainsAny(m[1], " *<>={}") || strings.Contains(m[1], "...") || regexp.MustCompile(`\b[A-Z]+\b`).MatchString(m[1]) {
				continue
			}
			seen++
			file, _, _ := strings.Cut(m[1], ":")
			if _, err := fs.Stat(tree, path.Clean(file)); err != nil && !known[file] {
				t.Errorf("docs/%s names %s, which is not there", name, m[1])
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d files are named: the test looks for the wrong thing", seen)
	}
}

// names returns what is declared with the path of its package: "state/ir.Instr".
func names(list []*source) map[string]bool {
	all := map[string]bool{}
	for _, s := range list {
		for name := range declared([]*source{s}) {
			_, name, _ := strings.Cut(name, ".")
			all[s.path+"."+name] = true
		}
	}
	return all
}

// of finds a name with its package, or with its package and type.
var of = regexp.MustCompile(`^([a-z][a-z0-9]*)\.([A-Za-z]\w*(?:\.[A-Za-z]\w*)?)(?:\(\))?$`)

// TestNames checks that what pages name with its package is declared there.
func TestNames(t *testing.T) {
	list, _ := sources(t)
	all := declared(list)
	room := map[string]bool{}
	for _, s := range list {
		room[path.Base(s.path)] = true
	}
	delete(room, "cl") // what models write: docs/language.md is held against it
	seen := 0
	for name, text := range pages(t) {
		for _, m := range code.FindAllStringSubmatch(text, -1) {
			x := of.FindStringSubmatch(m[1])
			if x == nil || !room[x[1]] || isFile(x[2]) {
				continue
			}
			seen++
			if all[x[1]+"."+x[2]] == nil {
				t.Errorf("docs/%s names %s, which is declared nowhere", name, m[1])
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d names: the test looks for the wrong thing", seen)
	}
}

// isFile reports whether what follows the first dot ends as the name of a file does.
func isFile(s string) bool {
	switch s[strings.LastIndexByte(s, '.')+1:] {
	case "go", "cl", "md", "yaml", "json", "litmus", "svg", "dot", "html", "txt", "test":
		return true
	}
	return false
}

// named finds a test.
var named = regexp.MustCompile(`\bTest[A-Z]\w*`)

// TestTestsAreThere checks that the tests that pages name are there, and have not been given other names.
func TestTestsAreThere(t *testing.T) {
	all := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllSubmatch(text, -1) {
			all[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for name, text := range pages(t) {
		for _, m := range code.FindAllStringSubmatch(text, -1) {
			for _, test := range named.FindAllString(m[1], -1) {
				if seen++; !all[test] {
					t.Errorf("docs/%s names %s, which there is not", name, test)
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d tests are named: the test looks for the wrong thing", seen)
	}
}
