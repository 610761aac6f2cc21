package litmus_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/litmus/internal/corpus"
	"github.com/clmc/clmc/state"
)

// variants names the corpus's verdicts that clmc must meet exactly without
// promises, and the readings that they belong to.
var variants = []struct{ spec, verdict string }{
	{"popl16", "simp_porf"},
	{"popl16-scoped", "scoped_porf"},
}

// TestCorpus compares every test of the corpus with the verdict of the
// independent checker, in both directions.
func TestCorpus(t *testing.T) {
	for _, v := range variants {
		spec, err := memmodel.ParseSpec(v.spec)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(v.spec, func(t *testing.T) {
			differs := allowed(t)
			for _, c := range loadCorpus(t) {
				d := compare(t, c, spec, v.verdict)
				switch reason, ok := differs[c.ID]; {
				case d != "" && !ok:
					t.Errorf("%s: %s\n%s", c.ID, d, c.Source)
				case d == "" && ok:
					t.Errorf("%s: listed as different (%s), but it agrees", c.ID, reason)
				}
			}
		})
	}
}

// allowed reads the list of tests on which clmc follows the specification and
// the published model does not: id, name and reason.
func allowed(t *testing.T) map[string]string {
	text, err := os.ReadFile("testdata/differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if id, reason, ok := strings.Cut(strings.TrimSpace(line), " "); ok && id != "#" {
			list[id] = reason
		}
	}
	return list
}

// compare explores a test and returns how it differs from the verdict, or "".
func compare(t *testing.T, c *corpus.Test, spec memmodel.Spec, verdict string) string {
	want, ok := c.Verdicts[verdict]
	if !ok { // without seq_cst the readings do not differ
		want = c.Verdict("simp_porf")
	}
	got := explore.Run(context.Background(), parse(t, c.ID, c.Source).Program, explore.Options{Spec: spec, All: true, KeepSchedule: true})
	if !got.Complete {
		return fmt.Sprint("incomplete: ", got.Incomplete)
	}
	race, divergence := got.Has(state.DataRace), got.Has(state.BarrierDivergence)
	switch {
	case (race || divergence) != (want.Race || want.Divergence):
		return fmt.Sprintf("race %v, divergence %v; want race %v, divergence %v", race, divergence, want.Race, want.Divergence)
	case race && !want.Race || divergence && !want.Divergence:
		return fmt.Sprintf("race %v, divergence %v; want race %v, divergence %v", race, divergence, want.Race, want.Divergence)
	case race || divergence:
		return ""
	}
	var states [][]int64
	for _, o := range got.Outcomes {
		var s []int64
		for _, name := range c.Vars {
			s = append(s, o[name])
		}
		states = append(states, s)
	}
	slices.SortFunc(states, slices.Compare)
	states = slices.CompactFunc(states, slices.Equal)
	wanted := slices.Clone(want.Outcomes)
	slices.SortFunc(wanted, slices.Compare)
	if !slices.EqualFunc(states, wanted, slices.Equal) {
		return fmt.Sprintf("states %v %v, want %v", c.Vars, states, wanted)
	}
	return ""
}

// BenchmarkCorpus explores the whole corpus, from text to verdict.
func BenchmarkCorpus(b *testing.B) {
	tests := loadCorpus(b)
	spec, err := memmodel.ParseSpec("popl16")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		states := 0
		for _, c := range tests {
			r := explore.Run(context.Background(), parse(b, c.ID, c.Source).Program, explore.Options{Spec: spec, All: true})
			states += r.Stats.States
		}
		b.ReportMetric(float64(states), "states")
		b.ReportMetric(float64(len(tests)), "tests")
	}
}
