// Package corpus reads and writes the litmus tests with known verdicts under
// testdata/corpus. It knows nothing of the tests' syntax.
//
// A file holds one family of tests, each as
//
//	=== id
//	the test
//	--- vars 1:r0 x
//	--- simp: 0 1; 1 1
//	--- orig: race divergence
//
// where the lines after the test give the variables of an outcome and the
// verdict of each variant of the model: race, divergence or both, which make
// the test undefined, or else all outcomes. A test without any execution has
// the outcomes "none" and no variables.
package corpus

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Test is a litmus test and its verdicts.
type Test struct {
	ID       string
	Family   string
	Source   string
	Vars     []string
	Verdicts map[string]Verdict // by variant; those equal to Base are absent
}

// Base is the variant that every test has a verdict for.
const Base = "simp"

// Verdict is what a variant of the model says of a test.
type Verdict struct {
	Race, Divergence bool
	Outcomes         [][]int64 // over Vars; nil if the test is undefined
}

// Undefined reports whether the test has undefined behaviour.
func (v Verdict) Undefined() bool { return v.Race || v.Divergence }

// Verdict returns the verdict of a variant.
func (t *Test) Verdict(variant string) Verdict {
	if v, ok := t.Verdicts[variant]; ok {
		return v
	}
	return t.Verdicts[Base]
}

// Load reads all families in a directory, in alphabetical order.
func Load(dir fs.FS) ([]*Test, error) {
	files, err := fs.Glob(dir, "*.txt")
	if err != nil {
		return nil, err
	}
	var tests []*Test
	for _, name := range files {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		family := strings.TrimSuffix(path.Base(name), ".txt")
		for _, entry := range strings.Split("\n"+string(text), "\n=== ")[1:] {
			t, err := parse(family, entry)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			tests = append(tests, t)
		}
	}
	return tests, nil
}

// parse reads one entry, without its mark.
func parse(family, entry string) (*Test, error) {
	id, rest, _ := strings.Cut(entry, "\n")
	source, facts, ok := strings.Cut(rest, "\n--- vars")
	if !ok {
		return nil, fmt.Errorf("%s: no variables", id)
	}
	t := &Test{ID: id, Family: family, Source: source + "\n", Verdicts: map[string]Verdict{}}
	lines := strings.Split(strings.TrimRight(facts, "\n"), "\n--- ")
	t.Vars = strings.Fields(lines[0])
	for _, line := range lines[1:] {
		variant, text, _ := strings.Cut(line, ":")
		v, err := parseVerdict(text, len(t.Vars))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", id, variant, err)
		}
		t.Verdicts[variant] = v
	}
	if _, ok := t.Verdicts[Base]; !ok {
		return nil, fmt.Errorf("%s: no verdict of %s", id, Base)
	}
	return t, nil
}

func parseVerdict(text string, vars int) (v Verdict, err error) {
	v.Race = strings.Contains(text, "race")
	v.Divergence = strings.Contains(text, "divergence")
	if v.Undefined() {
		return v, nil
	}
	v.Outcomes = [][]int64{}
	if strings.TrimSpace(text) == "none" {
		return v, nil
	}
	for _, state := range strings.Split(text, ";") {
		fields := strings.Fields(state)
		if len(fields) != vars {
			return v, fmt.Errorf("outcome %q has %d values for %d variables", state, len(fields), vars)
		}
		outcome := make([]int64, vars)
		for i, f := range fields {
			if outcome[i], err = strconv.ParseInt(f, 10, 64); err != nil {
				return v, err
			}
		}
		v.Outcomes = append(v.Outcomes, outcome)
	}
	return v, nil
}
