package docs

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/golden"
)

const (
	architecture = root + "/docs/architecture.md"
	begin        = "<!-- The last column is made from the sources: go test ./internal/testkit/docs -update -->\n"
	end          = "<!-- End of the packages. -->\n"
)

// row is one package of the table: its path and its idea are written by hand.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\|.*\\|\n")

// TestPackages checks that the table of docs/architecture.md has every package once, with what
// it imports, and that imports point upwards in the table only: to what is built before.
func TestPackages(t *testing.T) {
	list, _ := sources(t)
	text := page(t, architecture)
	_, table, _ := strings.Cut(text, begin)
	table, _, _ = strings.Cut(table, end)
	imports := map[string][]string{}
	for _, s := range list {
		imports[s.path] = s.imports
	}
	var order []string
	idea := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(table, -1) {
		switch _, ok := imports[m[1]]; {
		case !ok:
			t.Errorf("there is no package %s", m[1])
		case idea[m[1]] != "":
			t.Errorf("package %s is there twice", m[1])
		default:
			order, idea[m[1]] = append(order, m[1]), m[2]
		}
	}
	order = append(order, missing(list, idea)...)
	got := "| Package | Its one idea | Imports of this module |\n|---|---|---|\n"
	for i, p := range order {
		if idea[p] == "" || idea[p] == unknown {
			t.Errorf("package %s is not in the table: run this test with -update, say what its one idea is, and put it below what it imports", p)
			idea[p] = unknown
		}
		for _, q := range imports[p] {
			if !slices.Contains(order[:i], q) && idea[p] != unknown && idea[q] != "" {
				t.Errorf("%s imports %s, which stands below it", p, q)
			}
		}
		got += fmt.Sprintf("| `%s` | %s | %s |\n", p, idea[p], quoted(imports[p]))
	}
	golden.Part(t, architecture, begin, end, got)
}

// unknown is the idea of a package for which somebody must find it.
const unknown = "?"

// missing returns the packages that nothing is known of.
func missing(list []*source, idea map[string]string) (paths []string) {
	for _, s := range list {
		if idea[s.path] == "" {
			paths = append(paths, s.path)
		}
	}
	return paths
}

func quoted(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "`" + w + "`"
	}
	return strings.Join(out, ", ")
}

// rooms says what packages, and those within them, must not know, however far down: the walls
// that principle 4 of docs/architecture.md speaks of. What all front ends share, state/ir and
// package lower, belongs to neither state nor models here.
var rooms = []struct {
	room string
	not  []string
}{
	{"memmodel", []string{"."}},
	{"state/ir/flow", []string{"."}},
	{"state/ir", []string{"state", "por", "explore", "store", "models", "cmd"}},
	{"state/facts", []string{"por", "explore", "store", "models", "cmd"}},
	{"state", []string{"por", "explore", "store", "models", "cmd"}},
	{"por", []string{"explore", "store", "models", "cmd"}},
	{"explore", []string{"models", "cmd", "store/disk"}},
	{"internal/axiom", []string{"state", "por", "explore", "store", "models", "cmd"}},
	{"models/internal", []string{"state", "por", "explore", "store", "cmd"}},
	{"models/load", []string{"state", "por", "explore", "store", "cmd"}},
	{"models/clc", []string{"state", "por", "explore", "store", "cmd"}},
	{"models/litmus", []string{"state", "por", "explore", "store", "cmd"}},
}

// testkit is where packages are that only tests import.
const testkit = "internal/testkit"

// TestRooms checks the walls, through whatever is imported in between.
func TestRooms(t *testing.T) {
	list, _ := sources(t)
	imports := map[string][]string{}
	for _, s := range list {
		imports[s.path] = s.imports
		if i := slices.IndexFunc(s.imports, func(p string) bool { return within(p, testkit) }); i >= 0 && !within(s.path, testkit) {
			t.Errorf("%s imports %s, which is for tests alone", s.path, s.imports[i])
		}
	}
	for _, r := range rooms {
		seen := false
		for _, s := range list {
			if s.path != r.room && !strings.HasPrefix(s.path, r.room+"/") {
				continue
			}
			seen = true
			for _, p := range below(imports, s.path) {
				if i := slices.IndexFunc(r.not, func(not string) bool { return within(p, not) }); i >= 0 {
					t.Errorf("%s comes to know %s, which is of %s", s.path, p, r.not[i])
				}
			}
		}
		if !seen {
			t.Errorf("there is no package in %s", r.room)
		}
	}
}

// below returns what a package imports, directly or not.
func below(imports map[string][]string, p string) (all []string) {
	for work := []string{p}; len(work) > 0; work = work[1:] {
		for _, q := range imports[work[0]] {
			if !slices.Contains(all, q) {
				all = append(all, q)
				work = append(work, q)
			}
		}
	}
	return all
}

// within reports whether package p belongs to what a wall keeps out: "." is all of the module.
func within(p, room string) bool {
	shared := strings.HasPrefix(p, "state/ir") || strings.HasPrefix(p, "models/internal/") || p == "models/cl"
	switch room {
	case ".":
		return true
	case "state", "models":
		return !shared && (p == room || strings.HasPrefix(p, room+"/"))
	}
	return p == room || strings.HasPrefix(p, room+"/")
}

func page(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
