package main

import (
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// edited are the files in which changes begin.
var edited = []string{"CHANGELOG.md", "docs/semantics.md", "docs/rules.md", "explore/mutants_test.go", "state/violation.go", "state/ir/ir.go"}

// copied returns a folder with copies of the files in which changes begin, as they are now.
func copied(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range edited {
		text, err := os.ReadFile(filepath.Join("../../..", file))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o777)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// texts returns what the files of a folder hold; those of Go are seen to be formatted.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && strings.HasSuffix(path, ".go") {
			var formatted []byte
			if formatted, err = format.Source(text); err == nil && string(formatted) != string(text) {
				t.Errorf("%s is not formatted", path)
			}
		}
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Each kind of change goes where its recipe says, once, and a second time is refused and changes nothing.
func TestNew(t *testing.T) {
	for _, c := range []struct {
		args []string
		want map[string][]string // by file, texts that follow each other
	}{
		{[]string{"rule", "9.99", "A rule."}, map[string][]string{
			"docs/semantics.md":                {"\n- 9.3 ", "\n- 9.99 A rule.\n", "\n**Atomic functions**"},
			"explore/mutants_test.go":          {"{\"9.99 what no longer holds\"", "\n})"},
			"models/shipped/rule_9_99/main.go": {"(rule 9.99)", "//clmc:expect", "package main"},
			"CHANGELOG.md":                     {"[Unreleased]\n\n- Rule 9.99: A rule.\n- "},
		}},
		{[]string{"violation", "OfATest", "a test"}, map[string][]string{
			"state/violation.go": {"\tMayRun ", "\tOfATest ", "\tnumKinds ", "\tMayRun: ", "\tOfATest: ", "{\"CL", "\", \"a test\"},\n}"},
			"CHANGELOG.md":       {": a test.\n- "},
		}},
		{[]string{"op", "OfATest", "does nothing"}, map[string][]string{
			"state/ir/ir.go":          {"\tOpFree ", "\tOpOfATest // does nothing\n\n\tnumOps "},
			"explore/ofatest_test.go": {"func TestOfATest(", "t.Fatal("},
			"CHANGELOG.md":            {"- Operation OfATest: does nothing.\n"},
		}},
	} {
		dir := copied(t)
		next, err := kinds[c.args[0]](dir, c.args[1], c.args[2])
		if err != nil || !strings.Contains(next, "These fail now:\n\n\tgo test ") {
			t.Errorf("%v: %v\n%s", c.args, err, next)
		}
		got := texts(t, dir)
		for file, parts := range c.want {
			rest, ok := got[file], false
			for _, part := range parts {
				if _, rest, ok = strings.Cut(rest, part); !ok {
					t.Errorf("%v: %s does not have %q where it should", c.args, file, part)
					break
				}
			}
		}
		os.WriteFile(filepath.Join(dir, "docs/rules.md"), []byte("\n| 9.99 |"), 0o666) // as it is made from docs/semantics.md
		got = texts(t, dir)
		if _, err := kinds[c.args[0]](dir, c.args[1], c.args[2]); err == nil {
			t.Errorf("%v: it is not refused the second time", c.args)
		}
		for file, text := range texts(t, dir) {
			if got[file] != text {
				t.Errorf("%v: it is refused, and %s is changed", c.args, file)
			}
		}
	}
}

// What is no name, or no number of a rule, changes nothing.
func TestNewRefuses(t *testing.T) {
	dir := copied(t)
	was := texts(t, dir)
	for _, args := range [][]string{{"rule", "9", "x"}, {"rule", "2.2", "x"}, {"rule", "99.1", "x"}, {"violation", "data race", "x"}, {"violation", "DataRace", "x"}, {"op", "load", "x"}, {"op", "Load", "x"}} {
		if _, err := kinds[args[0]](dir, args[1], args[2]); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
	if now := texts(t, dir); len(now) != len(was) {
		t.Errorf("there are %d files, and were %d", len(now), len(was))
	}
	for _, args := range [][]string{nil, {"rule"}, {"model", "X", "x"}} {
		if code := run(args); code != 2 {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
}
