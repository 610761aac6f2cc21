package axiom

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/litmus"
)

const corpusFiles = "../../models/litmus/testdata/corpus/*.txt"

// corpusTest is one test of the corpus: its text and, by variant of the
// published models, "race", "divergence" or its outcomes.
type corpusTest struct {
	text     string
	vars     []string
	verdicts map[string]string
}

func readCorpus(t *testing.T) (tests []corpusTest) {
	files, err := filepath.Glob(corpusFiles)
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus of litmus tests")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split("\n"+string(data), "\n=== ")[1:] {
			_, block, _ = strings.Cut(block, "\n") // the id
			parts := strings.Split(block, "\n--- ")
			c := corpusTest{text: parts[0] + "\n", verdicts: map[string]string{}}
			for _, part := range parts[1:] {
				if vars, ok := strings.CutPrefix(part, "vars"); ok {
					c.vars = strings.Fields(vars)
					continue
				}
				variant, verdict, _ := strings.Cut(part, ":")
				c.verdicts[variant] = strings.TrimSpace(verdict)
			}
			tests = append(tests, c)
		}
	}
	return tests
}

// verdict returns that of the first variant that is given: one that equals the
// next is left out.
func (c *corpusTest) verdict(variants ...string) string {
	for _, v := range variants {
		if verdict, ok := c.verdicts[v]; ok {
			return verdict
		}
	}
	return ""
}

// outcomes returns the keys of a verdict's outcomes.
func (c *corpusTest) outcomes(t *testing.T, verdict string) (keys []string) {
	for _, state := range strings.Split(verdict, ";") {
		values := map[string]int64{}
		for i, v := range strings.Fields(state) {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			values[c.vars[i]] = n
		}
		keys = append(keys, OutcomeKey(values))
	}
	slices.Sort(keys)
	return keys
}

// TestAgainstCorpus compares all verdicts with those that the published models
// give to the corpus of litmus tests.
func TestAgainstCorpus(t *testing.T) {
	t.Parallel()
	simplified := memmodel.Spec{SC: memmodel.SCSimplified, SCConditional: true, Kindless: true}
	scoped := memmodel.Spec{SC: memmodel.SCScoped, Kindless: true}
	unconditional, wider := simplified, simplified
	unconditional.SCConditional = false
	wider.Inclusion = memmodel.WiderScope
	lb := Options{LoadBuffering: true}
	variants := []struct {
		names []string
		spec  memmodel.Spec
		opt   Options
	}{
		{[]string{"simp_porf", "simp"}, simplified, Options{}},
		{[]string{"scoped_porf", "simp_porf", "simp"}, scoped, Options{}},
		{[]string{"simp"}, simplified, lb},
		{[]string{"scoped", "simp"}, scoped, lb},
		{[]string{"simpU", "simp"}, unconditional, lb},
		{[]string{"simp31", "simp"}, wider, lb},
	}
	for _, c := range readCorpus(t) {
		test, err := litmus.Parse("corpus", []byte(c.text))
		if err != nil {
			t.Fatalf("%v\n%s", err, c.text)
		}
		for _, v := range variants {
			r, err := Run(test.Program, v.spec, v.opt)
			if err != nil {
				t.Errorf("%s: %v", test.Name, err)
				continue
			}
			c.compare(t, test.Name+" under "+v.names[0], r, c.verdict(v.names...))
		}
	}
}

func (c *corpusTest) compare(t *testing.T, name string, r Result, want string) {
	undefined := strings.Contains(want, "race") || strings.Contains(want, "divergence")
	switch {
	case undefined && (r.Race || r.Divergence):
	case strings.HasPrefix(name, "D3") || strings.HasPrefix(name, "D5"):
		// The models flag no divergence where some work-items of the group do
		// meet, and none where two barriers are met in opposite orders. The
		// text has all of them meet (rule 11.1).
		if !r.Divergence {
			t.Errorf("%s: no divergence", name)
		}
	case undefined:
		t.Errorf("%s: got %v, want %s", name, verdictOf(r), want)
	default:
		if got := r.List(); r.Undefined() || !slices.Equal(got, c.outcomes(t, want)) {
			t.Errorf("%s: got %v, want %s", name, verdictOf(r), want)
		}
	}
}
