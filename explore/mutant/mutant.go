package mutant

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/clmc/clmc/internal/daily"
)

// Period is the number of days within which runs with CLMC_DAY=today have tried every mutant.
const Period = 56

var which = flag.String("mutants", "today", "the mutants to try: today (the share of the day, see package daily), all, or a shard i/n of all, i from 1")

// Mutant is a rule that is broken on purpose.
type Mutant struct {
	Rule     string // what no longer holds, after the rule's number if it has one; unique in its list
	File     string // the source file, from the module's root
	Old, New string // the text, which stands there once, and what replaces it
	Tell     string // what should tell: styles of random programs, or a pattern of models
}

// List makes mutants of rows, each with the fields in the order of Mutant.
func List(rows [][5]string) []Mutant {
	list := make([]Mutant, len(rows))
	for i, r := range rows {
		list[i] = Mutant{Rule: r[0], File: r[1], Old: r[2], New: r[3], Tell: r[4]}
	}
	return list
}

// Try runs survives, which says whether the tests pass without m's rule, for each mutant whose
// turn it is, and fails if one does.
func Try(t *testing.T, list []Mutant, survives func(t *testing.T, m Mutant) (out string, survived bool)) {
	t.Helper()
	turn, err := parseTurn(*which, daily.Day())
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, m := range list {
		if !turn.has(m) {
			continue
		}
		tried++
		t.Run(m.Rule, func(t *testing.T) {
			if out, survived := survives(t, m); survived {
				t.Errorf("nothing fails without it:\n%s", out)
			}
		})
	}
	t.Logf("%d of %d mutants tried (%s)", tried, len(list), *which)
}

// TryTests is Try for mutants of which Tell says which tests of the package at hand fail.
func TryTests(t *testing.T, list []Mutant) {
	t.Helper()
	Try(t, list, func(t *testing.T, m Mutant) (string, bool) { return m.Survives(t, "-run", m.Tell, ".") })
}

// Apply fails for mutants that break nothing that is there or do not compile, and for two of one name.
func Apply(t *testing.T, list []Mutant) {
	t.Helper()
	c, err := newCompiler(list)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range list {
		if names[m.Rule] {
			t.Errorf("%s: listed twice", m.Rule)
		}
		names[m.Rule] = true
		if err := c.check(m); err != nil {
			t.Error(err)
		}
	}
	if len(list) == 0 {
		t.Error("no mutants")
	}
}

// Survives runs go test with the replacement and returns what it prints and
// whether all tests pass. The arguments are those of go test, packages last.
func (m Mutant) Survives(t *testing.T, args ...string) (out string, survived bool) {
	t.Helper()
	path, text, err := m.text()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mutated, overlay := filepath.Join(dir, "mutated.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{path: mutated}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{mutated: []byte(strings.Replace(text, m.Old, m.New, 1)), overlay: replace} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", append([]string{"test", "-overlay", overlay, "-vet=off", "-failfast", "-timeout", "2m"}, args...)...)
	b, err := cmd.CombinedOutput()
	switch out = string(b); {
	case strings.Contains(out, "build failed"), strings.Contains(out, "setup failed"):
		t.Fatalf("does not build:\n%s", out)
	case err == nil && !testsRan(out):
		t.Fatalf("no tests were run:\n%s", out)
	case strings.Contains(out, "panic: test timed out"):
		t.Logf("takes too long, which may or may not be because of the mutant:\n%.2000s", out)
	}
	if err != nil && *which != "today" {
		if out := unbroken(args); out != "" {
			t.Fatalf("the tests fail with no rule broken, so that they tell nothing:\n%s", out)
		}
	}
	return out, err == nil
}

// known holds what unbroken has found out, by the arguments.
var known sync.Map

// unbroken runs the tests that are to tell a mutant, without one, and returns what they print if they
// fail. That takes longer than most mutants, which fail early, so that it is
// left to the runs that try many with the same arguments.
func unbroken(args []string) (out string) {
	key := strings.Join(args, "\x00")
	if was, ok := known.Load(key); ok {
		return was.(string)
	}
	b, err := exec.Command("go", append([]string{"test", "-vet=off", "-failfast", "-timeout", "10m"}, args...)...).CombinedOutput()
	if err != nil {
		out = fmt.Sprintf("%v\n%s", err, b)
	}
	known.Store(key, out)
	return out
}

// testsRan reports whether some package's tests passed, by what go test printed.
func testsRan(out string) bool {
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "ok ") && !strings.Contains(line, "[no tests to run]") {
			return true
		}
	}
	return false
}

// text returns the path of m's file and what stands in it.
func (m Mutant) text() (path, text string, err error) {
	root, err := root()
	if err != nil {
		return "", "", err
	}
	path = filepath.Join(root, filepath.FromSlash(m.File))
	b, err := os.ReadFile(path)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", m.Rule, err)
	}
	if n := strings.Count(string(b), m.Old); n != 1 {
		return "", "", fmt.Errorf("%s: %s contains %d times:\n%s", m.Rule, m.File, n, m.Old)
	}
	return path, string(b), nil
}

// root returns the folder of the module in which the tests run.
func root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod above the tests")
		}
		dir = up
	}
}

// turn is a share of the mutants: those that are i-th, from 0, of n.
type turn struct{ i, n uint64 }

func parseTurn(s string, day uint64) (turn, error) {
	switch s {
	case "today":
		return turn{day % Period, Period}, nil
	case "all":
		return turn{0, 1}, nil
	}
	var t turn
	if n, err := fmt.Sscanf(s, "%d/%d", &t.i, &t.n); n != 2 || err != nil || t.i < 1 || t.i > t.n || s != fmt.Sprintf("%d/%d", t.i, t.n) {
		return turn{}, fmt.Errorf("-mutants %s: want today, all, or i/n with i from 1 to n", s)
	}
	t.i--
	return t, nil
}

// has goes by the mutant's name, so that no other one changes its day by
// being added or removed.
func (t turn) has(m Mutant) bool {
	h := fnv.New32a()
	h.Write([]byte(m.Rule))
	return uint64(h.Sum32())%t.n == t.i
}
