package docs

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// step is a row of one of the ways through the code: its number, its files, what happens.
var step = regexp.MustCompile(`(?m)^\| \d+ \| ([^|]+) \| ([^|]+) \|$`)

// TestWays checks that each function that a way through the code of docs/architecture.md goes by
// is in one of the files that its row names, and each of these files has one if there are any.
func TestWays(t *testing.T) {
	list, fset := sources(t)
	all := declared(list)
	_, text, _ := strings.Cut(page(t, architecture), "\n## Four ways through the code\n")
	text, _, _ = strings.Cut(text, "\n## ")
	seen := 0
	for _, m := range step.FindAllStringSubmatch(text, -1) {
		var files, used []string
		for _, f := range code.FindAllStringSubmatch(m[1], -1) {
			files = append(files, f[1])
		}
		for _, f := range code.FindAllStringSubmatch(m[2], -1) {
			name := f[1]
			if of.FindString(name) == "" {
				continue
			}
			fn, ok := all[name].(*ast.FuncDecl)
			if !ok {
				continue // TestNames sees that it is there
			}
			seen++
			file := strings.TrimPrefix(fset.Position(fn.Pos()).Filename, root+"/")
			if used = append(used, file); !slices.Contains(files, file) {
				t.Errorf("%s is in %s, and not in %v", name, file, files)
			}
		}
		for _, f := range files {
			if len(used) > 0 && !slices.Contains(used, f) {
				t.Errorf("no function of %s is named: %s", f, m[2])
			}
		}
	}
	if seen < 40 {
		t.Errorf("%d functions are named: the test looks for the wrong thing", seen)
	}
}
