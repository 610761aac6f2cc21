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

// variants names the corpus's verdicts that clmc must meet exactly, without
// promises and with them, the verdict of a test that has none of that variant,
// and the lists of tests that differ all the same.
var variants = []struct {
	spec, verdict, otherwise string
	promises                 int
	lists                    []string
}{
	{"popl16", "simp_porf", "simp_porf", explore.NoPromises, []string{"differences"}},
	{"popl16-scoped", "scoped_porf", "simp_porf", explore.NoPromises, []string{"differences"}},
	{"popl16", "simp", "simp", explore.DefaultPromises, []string{"differences", "promises"}},
	{"popl16-scoped", "scoped", "simp", explore.DefaultPromises, []string{"differences", "promises"}},
}

// TestCorpus compares every test of the corpus with the verdict of the
// independent checker, in both directions.
func TestCorpus(t *testing.T) {
	for _, v := range variants {
		spec, err := memmodel.ParseSpec(v.spec)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(v.spec+"/"+v.verdict, func(t *testing.T) {
			differs := allowed(t, v.lists...)
			for _, c := range loadCorpus(t) {
				want, ok := c.Verdicts[v.verdict]
				if !ok {
					want = c.Verdict(v.otherwise)
				}
				d := compare(t, c, want, explore.Options{Spec: spec, Promises: v.promises})
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

// allowed reads lists of tests on which clmc and the published model differ:
// id, name and reason.
func allowed(t *testing.T, lists ...string) map[string]string {
	all := map[string]string{}
	for _, name := range lists {
		text, err := os.ReadFile("testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if id, reason, ok := strings.Cut(strings.TrimSpace(line), " "); ok && id != "#" {
				all[id] = reason
			}
		}
	}
	return all
}

// compare explores a test and returns how it differs from a verdict, or "".
func compare(t *testing.T, c *corpus.Test, want corpus.Verdict, opt explore.Options) string {
	opt.All, opt.KeepSchedule = true, true
	got := explore.Run(context.Background(), parse(t, c.ID, c.Source).Program, opt)
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
			r := explore.Run(context.Background(), parse(b, c.ID, c.Source).Program, explore.Options{Spec: spec, All: true, Promises: explore.NoPromises})
			states += r.Stats.States
		}
		b.ReportMetric(float64(states), "states")
		b.ReportMetric(float64(len(tests)), "tests")
	}
}
