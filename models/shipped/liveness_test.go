package shipped

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/testkit/golden"
)

// liveColumns are the models in the table of docs/liveness.md.
var liveColumns = []string{"unfair", "hsa", "obe", "hsa_obe", "lobe", "fair", "opencl", "gpu", "gpu-lockstep"}

// TestLivenessPage compares the table of idioms and models in docs/liveness.md with what clmc answers. That agrees with what the models' expectations say,
// which are derived by hand: TestExpectations.
func TestLivenessPage(t *testing.T) {
	table := []string{"", "| program | " + strings.Join(liveColumns, " | ") + " |", "|---|" + strings.Repeat("---|", len(liveColumns))}
	for _, m := range All() {
		if !strings.HasPrefix(m.Name, "progress_") || m.IsKernel() {
			continue
		}
		var had []string
		for _, e := range m.Expectations {
			if which := fmt.Sprint(e.Defines); !slices.Contains(had, which) {
				had = append(had, which)
				table = append(table, liveRow(t, m, e))
			}
		}
	}
	if len(table) < 3+27 {
		t.Errorf("there are only %d rows", len(table)-3)
	}
	golden.Part(t, "../../docs/liveness.md", "<!-- table -->\n", "<!-- end of the table -->\n", strings.Join(table, "\n")+"\n\n")
}

// liveRow is the row of a model with some constants.
func liveRow(t *testing.T, m Model, e Expectation) string {
	name := "`" + m.Name
	for _, d := range slices.Sorted(maps.Keys(e.Defines)) {
		name += fmt.Sprintf(" -D %s=%s", d, e.Defines[d])
	}
	row := fmt.Sprintf("| %s`: %s", name, strings.TrimSuffix(m.Description, "."))
	weak := answers(t, m, e, liveness.Weak)
	strong := answers(t, m, e, liveness.Strong)
	for _, x := range liveColumns {
		cell := map[liveness.Verdict]string{liveness.Ends: "yes", liveness.Runs: "no", liveness.Unknown: "?"}[weak[x]]
		if cell == "no" && strong[x] == liveness.Ends {
			cell = "strong"
		}
		row += " | " + cell
	}
	return row + " |"
}

// answers asks of a model whether all executions end.
func answers(t *testing.T, m Model, e Expectation, f liveness.Fairness) map[string]liveness.Verdict {
	p, err := m.load(e)
	if err != nil {
		t.Fatal(err)
	}
	ask := &explore.Liveness{}
	var names []string
	for _, x := range liveColumns {
		if q, err := liveness.ParseQuestion(x, f); err == nil {
			ask.Asked, names = append(ask.Asked, q), append(names, x)
		}
	}
	r := explore.Run(context.Background(), p, explore.Options{Promises: e.Promises, MaxStates: maxStates, Liveness: ask})
	found := map[string]liveness.Verdict{}
	for i, a := range r.Live.Answers {
		found[names[i]] = a.Verdict
	}
	return found
}

// TestLivenessPageLasso compares the execution that docs/liveness.md shows with what clmc prints.
func TestLivenessPageLasso(t *testing.T) {
	all := All()
	m := all[slices.IndexFunc(all, func(m Model) bool { return m.Name == "progress_flag_down" })]
	p, err := m.load(Expectation{})
	if err != nil {
		t.Fatal(err)
	}
	ask, err := explore.ParseLiveness("gpu", "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.New(m.Name, p, explore.Run(context.Background(), p, explore.Options{Liveness: ask}))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := r.Text(&text); err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(text.String(), "\n\n")
	shown, _, _ = strings.Cut(shown, "\n\nclmc explain")
	golden.Part(t, "../../docs/liveness.md", "<!-- lasso -->\n", "<!-- end of the lasso -->\n", "\n```\n"+strings.ReplaceAll(shown, "models/shipped/progress_flag_down/", "")+"\n```\n\n")
}
