package explore

import (
	"context"
	"strings"
	"testing"
)

// TestAnalysesAreNamed checks that each analysis has a name, that a set is read as it is written, and that a name that is none is refused.
func TestAnalysesAreNamed(t *testing.T) {
	for k := range len(AnalysisNames()) {
		for _, set := range []Analyses{1 << k, AllAnalyses &^ (1 << k), 0, AllAnalyses} {
			if got, err := ParseAnalyses(set.String()); err != nil || got != set {
				t.Errorf("%v is read as %v, %v", set, got, err)
			}
		}
	}
	if 1<<len(AnalysisNames())-1 != AllAnalyses {
		t.Errorf("%d names of the analyses %b", len(AnalysisNames()), AllAnalyses)
	}
	for text, want := range map[string]Analyses{
		"-symmetry": AllAnalyses &^ Symmetry, "all,-views,-orders": AllAnalyses &^ (Views | Orders), "views,buffering": Views | Buffering, "none,records": Records,
	} {
		if got, err := ParseAnalyses(text); err != nil || got != want {
			t.Errorf("%s is read as %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "symetry", "views,", "-", "--views"} {
		if _, err := ParseAnalyses(text); err == nil || !strings.Contains(err.Error(), "want all, none, or some of buffering") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestWithoutAnalyses checks that a search finds the same, in no fewer states, without any one analysis, and without all, and that for some program
// it has more states without: that an analysis is left out is more than a word.
func TestWithoutAnalyses(t *testing.T) {
	more := Analyses(0)
	sets := []Analyses{AllAnalyses}
	for k := range len(AnalysisNames()) {
		sets = append(sets, 1<<k)
	}
	for _, c := range byHandBuffering() {
		whole := Run(context.Background(), c.program, Options{All: true, KeepSchedule: true})
		for _, without := range sets {
			r := Run(context.Background(), c.program, Options{All: true, KeepSchedule: true, Without: without})
			if d := disagreement(r, whole); d != "" || r.Stats.States < whole.Stats.States {
				t.Errorf("%s, without %v: %s; %d states, with it %d", c.program.Name, without, d, r.Stats.States, whole.Stats.States)
			}
			if r.Stats.States > whole.Stats.States && without != AllAnalyses {
				more |= without
			}
		}
	}
	t.Logf("more states without each of %v", more)
	if want := Buffering | Reduction | Messages | Locations | Orders; more&want != want {
		t.Errorf("more states without each of %v, want %v, too", more, want)
	}
}
