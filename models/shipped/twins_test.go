package shipped

import (
	"context"
	"regexp"
	"slices"
	"testing"

	"github.com/clmc/clmc/explore"
)

// leastTwins is how many models are to be there in both languages.
const leastTwins = 30

// twin returns the model in Go that one in OpenCL C is written after, or nil.
func twin(kernel Model) *Model {
	all := All()
	if i := slices.IndexFunc(all, func(m Model) bool { return m.Name == kernel.folder() }); i >= 0 {
		return &all[i]
	}
	return nil
}

// reachable matches what a kernel has no word for: which points have been reached is a part of a state.
var reachable = regexp.MustCompile(`(?m)^\s*cl\.Reachable\(.*$`)

// TestTwins searches the models that are there in Go and in OpenCL C. Both mean one program, so that whatever a search
// says of it is the same: verdict, kinds of violation, outcomes, and the number of states.
func TestTwins(t *testing.T) {
	n := 0
	for _, kernel := range All() {
		if !kernel.IsKernel() {
			continue
		}
		model := twin(kernel)
		if model == nil {
			continue
		}
		n++
		t.Run(model.Name, func(t *testing.T) {
			compare(t, *model, kernel)
		})
	}
	if n < leastTwins {
		t.Errorf("%d models are in both languages, want %d", n, leastTwins)
	}
}

func compare(t *testing.T, model, kernel Model) {
	model.Source = reachable.ReplaceAllString(model.Source, "")
	a, b := searched(t, model), searched(t, kernel)
	if a.Verdict != b.Verdict || !a.Complete || !b.Complete {
		t.Errorf("%v in Go, %v in OpenCL C", a.Verdict, b.Verdict)
	}
	if x, y := kinds(a), kinds(b); !slices.Equal(x, y) {
		t.Errorf("%v in Go, %v in OpenCL C", x, y)
	}
	if x, y := outcomes(a), outcomes(b); !slices.Equal(x, y) {
		t.Errorf("the outcomes are %v in Go, %v in OpenCL C", x, y)
	}
	if a.Stats.States != b.Stats.States {
		t.Errorf("%d states in Go, %d in OpenCL C", a.Stats.States, b.Stats.States)
	}
}

// searched explores a model with its constants as they stand.
func searched(t *testing.T, m Model) *explore.Result {
	p, err := m.load(Expectation{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return explore.Run(ctx, p, explore.Options{All: true, MaxStates: maxStates})
}

func kinds(r *explore.Result) (ids []string) {
	for _, v := range r.Violations {
		ids = append(ids, v.Kind.ID())
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func outcomes(r *explore.Result) (all []string) {
	for _, o := range r.Outcomes {
		all = append(all, explore.OutcomeKey(o))
	}
	slices.Sort(all)
	return all
}
